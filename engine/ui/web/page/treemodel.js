/** The tree that one builds: nodes with a type, leaves with values, branches of chance with odds; and its text, which the server reads. */

/**
 * @typedef {object} Branch
 * @property {string} type leaf, max, min, chance or player
 * @property {number} player of a node of the type player, from 0
 * @property {string[]} values of a leaf
 * @property {string} odds of the branch that leads here, if chance decides
 * @property {Branch[]} children
 */

export const MOST_PLAYERS = 6;

/** @param {string[]} values @returns {Branch} */
export const leaf = (values) => ({ type: "leaf", player: 0, values, odds: "", children: [] });

/** The tree of the nodes that the server has read. @param {any[]} nodes @returns {Branch} */
export function fromNodes(nodes) {
  const branches = nodes.map(({ type, player, values, odds }) => ({
    type, player: type === "player" ? Number(player.split(" ")[1]) - 1 : 0, values, odds: odds ?? "", children: /** @type {Branch[]} */ ([]),
  }));
  nodes.forEach(({ parent }, number) => { if (parent !== null) branches[parent].children.push(branches[number]); });
  return branches[0];
}

/** All branches of a tree, depth first: the order in which the server numbers its nodes. @param {Branch} root @returns {Branch[]} */
export const allOf = (root) => [root, ...root.children.flatMap(allOf)];

/** The text of a tree. @param {Branch} branch @returns {string} */
export function textOf({ type, player, values, children }) {
  if (type === "leaf") return values.length > 1 ? `(${values.join(", ")})` : values[0];
  if (type === "chance") return `{"chance": [${children.map((child) => `[${child.odds}, ${textOf(child)}]`).join(", ")}]}`;
  return `{"${type === "player" ? `player ${player + 1}` : type}": [${children.map(textOf).join(", ")}]}`;
}

/** How many numbers the leaves have. @param {Branch} root */
export const seatsOf = (root) => Math.max(...allOf(root).map(({ values }) => values.length));

/** Makes the odds of a chance node equal. @param {Branch} branch */
function shareOdds(branch) {
  const count = branch.children.length;
  for (const child of branch.children) child.odds = branch.type === "chance" ? (count > 1 ? `1/${count}` : "1") : "";
}

/** Adds a leaf below a branch; a leaf becomes a node of the next player. @param {Branch} root @param {Branch} branch @returns {Branch} */
export function addBelow(root, branch) {
  const values = branch.type === "leaf" ? branch.values : Array(seatsOf(root)).fill("0");
  if (branch.type === "leaf") Object.assign(branch, { ...nextPlayer(root, branch), values: [] });
  const child = leaf([...values]);
  branch.children.push(child);
  if (branch.type === "chance") shareOdds(branch);
  return child;
}

/** The node above; null for the root. @param {Branch} root @param {Branch} branch @returns {Branch|null} */
export const parentOf = (root, branch) => allOf(root).find(({ children }) => children.includes(branch)) ?? null;

/** Who moves at a node if the players take turns. @param {Branch} root @param {Branch} branch @returns {{type: string, player: number}} */
function nextPlayer(root, branch) {
  const seats = seatsOf(root);
  let above = parentOf(root, branch);
  while (above?.type === "chance") above = parentOf(root, above);
  if (seats > 1) return { type: "player", player: above ? (above.player + 1) % seats : 0 };
  return { type: above?.type === "max" ? "min" : "max", player: 0 };
}

/** Removes a branch; a node that has lost its last one becomes a leaf. Returns what is selected then. @param {Branch} root @param {Branch} branch @returns {Branch} */
export function remove(root, branch) {
  const seats = seatsOf(root);
  const above = parentOf(root, branch);
  if (!above) {
    Object.assign(root, leaf(Array(seats).fill("0")));
    return root;
  }
  const index = above.children.indexOf(branch);
  above.children.splice(index, 1);
  if (!above.children.length) Object.assign(above, { type: "leaf", values: Array(seats).fill("0") });
  shareOdds(above);
  return above.children[Math.min(index, above.children.length - 1)] ?? above;
}

/** Gives a node another type: `leaf`, `max`, `min`, `chance` or `player 2`. @param {Branch} root @param {Branch} branch @param {string} name */
export function changeType(root, branch, name) {
  const seats = seatsOf(root);
  const [type, number] = name.split(" ");
  const wasChance = branch.type === "chance";
  if (type === "leaf") {
    Object.assign(branch, { type, values: Array(seats).fill("0"), children: [] });
    return;
  }
  if (branch.type === "leaf") {
    branch.children = [leaf(branch.values), leaf([...branch.values])];
    branch.values = [];
  }
  Object.assign(branch, { type, player: number ? Number(number) - 1 : 0 });
  if (type === "chance" || wasChance) shareOdds(branch);
}

/** Moves a branch among its siblings. @param {Branch} root @param {Branch} branch @param {number} by */
export function shift(root, branch, by) {
  const siblings = parentOf(root, branch)?.children ?? [];
  const from = siblings.indexOf(branch);
  const to = from + by;
  if (from < 0 || to < 0 || to >= siblings.length) return;
  siblings.splice(from, 1);
  siblings.splice(to, 0, branch);
}

/** Makes it a tree of so many players; 1 stands for MAX and MIN, who share one number. @param {Branch} root @param {number} seats */
export function changeSeats(root, seats) {
  for (const branch of allOf(root)) {
    if (branch.type === "leaf") branch.values = Array.from({ length: seats }, (_, at) => branch.values[at] ?? "0");
    else if (branch.type !== "chance") {
      const player = { max: 0, min: 1 }[branch.type] ?? branch.player;
      Object.assign(branch, seats > 1 ? { type: "player", player: player % seats } : { type: player % 2 ? "min" : "max", player: 0 });
    }
  }
}
