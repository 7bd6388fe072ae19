"""Every feature counted a second time: slowly, square by square, with python-chess, for white.

Black's counts are white's on the mirrored board. Nothing of the engine is used, so that it can be judged by this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import chess
from chess import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE, square_distance, square_file, square_rank

Squares = set[int]
KINDS = (KNIGHT, BISHOP, ROOK, QUEEN)
CENTRE = {chess.D4, chess.E4, chess.D5, chess.E5}


def count_features(board: chess.Board) -> Counter[tuple[str, int]]:
    """White's counts minus Black's, by (feature, number within the feature); without zeros."""
    white = Counter(White(board).counts)
    white.subtract(White(board.mirror()).counts)
    white["tempo", 0] = 1 if board.turn == WHITE else -1
    return Counter({key: count for key, count in white.items() if count})


def is_light(square: int) -> bool:
    return bool(chess.BB_LIGHT_SQUARES >> square & 1)


def file_squares(file: int) -> Squares:
    return {square for square in range(64) if square_file(square) == file}


def ahead(square: int, files: Iterable[int]) -> Squares:
    """Squares of those files on higher ranks."""
    return {s for s in range(64) if square_file(s) in files and square_rank(s) > square_rank(square)}


def neighbours(square: int) -> list[int]:
    """The files beside that of `square`."""
    return [file for file in (square_file(square) - 1, square_file(square) + 1) if 0 <= file < 8]


def wing_files(file: int) -> range:
    """The four files about a king on `file`."""
    return range(4) if file < 3 else range(2, 6) if file < 5 else range(4, 8)


class White:
    """White's features on a board."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board
        self.counts: Counter[tuple[str, int]] = Counter()
        self.own = {piece_type: set(board.pieces(piece_type, WHITE)) for piece_type in chess.PIECE_TYPES}
        self.enemy = {piece_type: set(board.pieces(piece_type, BLACK)) for piece_type in chess.PIECE_TYPES}
        self.all_own: Squares = set().union(*self.own.values())
        self.all_enemy: Squares = set().union(*self.enemy.values())
        self.occupied = self.all_own | self.all_enemy
        self.king, self.enemy_king = min(self.own[KING]), min(self.enemy[KING])
        self.attacks = self.attacks_by_kind(WHITE)
        self.enemy_attacks = self.attacks_by_kind(BLACK)
        self.reach, self.reach_twice = self.summed(self.attacks)
        self.enemy_reach, self.enemy_twice = self.summed(self.enemy_attacks)
        self.ring = self.king_ring()
        steps: tuple[Callable[[], None], ...] = (
            self.material, self.mobility, self.pawns, self.passed, self.king_attack, self.shelter, self.threats,
            self.minors, self.rooks, self.space)
        for step in steps:
            step()

    def add(self, feature: str, count: int = 1, index: int = 0) -> None:
        self.counts[feature, index] += int(count)

    def attacks_of(self, square: int) -> Squares:
        """The squares a piece attacks; sliders see through queens, rooks through rooks of their colour as well."""
        piece = self.board.piece_at(square)
        assert piece is not None
        thin = self.board.copy(stack=False)
        if piece.piece_type in (BISHOP, ROOK):
            for other in self.own[QUEEN] | self.enemy[QUEEN]:
                thin.remove_piece_at(other)
        if piece.piece_type == ROOK:
            for other in self.board.pieces(ROOK, piece.color):
                thin.remove_piece_at(other)
        thin.set_piece_at(square, piece)
        return set(thin.attacks(square))

    def attacks_by_kind(self, color: chess.Color) -> dict[int, dict[int, Squares]]:
        """[type][square]: what the piece there attacks."""
        return {piece_type: {square: self.attacks_of(square) for square in self.board.pieces(piece_type, color)}
                for piece_type in chess.PIECE_TYPES}

    @staticmethod
    def summed(attacks: dict[int, dict[int, Squares]]) -> tuple[Squares, Squares]:
        """Squares attacked at all, and attacked by two pieces or more."""
        number = Counter(s for by_square in attacks.values() for squares in by_square.values() for s in squares)
        return set(number), {square for square, times in number.items() if times > 1}

    @staticmethod
    def by(attacks: dict[int, dict[int, Squares]], *kinds: int) -> Squares:
        return {s for piece_type in kinds for squares in attacks[piece_type].values() for s in squares}

    def king_ring(self) -> Squares:
        """Nine squares about the enemy king, shifted inside at the edge; less those that two pawns defend."""
        middle = chess.square(min(max(square_file(self.enemy_king), 1), 6),
                              min(max(square_rank(self.enemy_king), 1), 6))
        return {square for square in range(64) if square_distance(square, middle) <= 1}

    def twice_by_enemy_pawns(self) -> Squares:
        number = Counter(s for squares in self.enemy_attacks[PAWN].values() for s in squares)
        return {square for square, times in number.items() if times == 2}

    def material(self) -> None:
        names = ("pawn", "knight", "bishop", "rook", "queen", "king")
        for piece_type, name in zip(chess.PIECE_TYPES, names, strict=True):
            for square in self.own[piece_type]:
                seen = square if square_file(self.king) >= 4 else square ^ 7
                kings_apart = (square_file(self.king) >= 4) != (square_file(self.enemy_king) >= 4)
                self.add(f"squares_{name}", 1, seen + 64 * kings_apart)
                if piece_type != KING:
                    self.add("material", 1, piece_type - 1)

    def mobility(self) -> None:
        unsafe = self.own[PAWN] | self.own[KING] | self.by(self.enemy_attacks, PAWN)
        for piece_type, name in zip(KINDS, ("knight", "bishop", "rook", "queen"), strict=True):
            for square, attacks in self.attacks[piece_type].items():
                moves = len(attacks - unsafe)
                self.add(f"mobility_{name}", 1, moves)
                if piece_type == ROOK and moves <= 3 and not self.rights() and self.is_shut_in(square):
                    self.add("trapped_rook")

    def rights(self) -> int:
        return self.board.has_kingside_castling_rights(WHITE) + self.board.has_queenside_castling_rights(WHITE)

    def is_shut_in(self, rook: int) -> bool:
        if square_rank(rook) or square_rank(self.king):
            return False
        return rook > self.king if square_file(self.king) >= 4 else rook < self.king

    def pawns(self) -> None:
        own, enemy = self.own[PAWN], self.enemy[PAWN]
        defended, enemy_attacks = self.by(self.attacks, PAWN), self.by(self.enemy_attacks, PAWN)
        for square in own:
            file, row = square_file(square), square_rank(square) - 1
            beside = {s for f in neighbours(square) for s in file_squares(f)}
            helpers = {s for s in own & beside if square_rank(s) <= square_rank(square)}
            is_open = not enemy & ahead(square, [file])
            is_isolated = not own & beside
            stop = square + 8
            if any(square_file(s) == file and s < square for s in own):
                self.add("doubled")
            if is_isolated:
                self.add("isolated")
                self.add("isolated_open", is_open)
            elif not helpers and (stop in enemy or stop in enemy_attacks):
                self.add("backward")
                self.add("backward_open", is_open)
            in_phalanx = any(square_rank(s) == square_rank(square) for s in own & beside)
            self.add("phalanx", in_phalanx, row)
            self.add("supported", square in defended, row)
            self.add("rammed", stop in enemy, row)
            if not is_open or own & ahead(square, [file]):
                continue
            guards = enemy & ahead(square, neighbours(square))
            if not guards:
                self.add("passed", 1, row)
                self.add("passed_connected", in_phalanx or square in defended, row)
            elif len(helpers) >= len(guards):
                self.add("candidate", 1, row)

    def passed_pawns(self) -> list[int]:
        return [square for square in self.own[PAWN]
                if not self.enemy[PAWN] & ahead(square, [square_file(square), *neighbours(square)])
                and not self.own[PAWN] & ahead(square, [square_file(square)])]

    def passed(self) -> None:
        for square in self.passed_pawns():
            row, stop = square_rank(square) - 1, square + 8
            self.add("passed_own_king", 1, 8 * row + square_distance(self.king, stop))
            self.add("passed_enemy_king", 1, 8 * row + square_distance(self.enemy_king, stop))
            self.path(square, row, stop)
            queening = chess.square(square_file(square), 7)
            only_king = self.all_enemy == self.enemy[PAWN] | self.enemy[KING]
            late = square_distance(self.enemy_king, queening) - (self.board.turn == BLACK)
            if only_king and late > min(5, 7 - square_rank(square)) and not self.way(square) & self.occupied:
                self.add("passed_unstoppable")

    @staticmethod
    def way(square: int) -> Squares:
        return ahead(square, [square_file(square)])

    def path(self, square: int, row: int, stop: int) -> None:
        way = self.way(square)
        if stop in self.occupied:
            self.add("passed_blocked", 1, row)
            return
        behind = next((s for s in range(square - 8, -1, -8) if s in self.occupied), None)
        attacked, defended = set(self.enemy_reach), set(self.reach)
        if behind in self.enemy[ROOK] | self.enemy[QUEEN]:
            attacked |= way
        if behind in self.own[ROOK] | self.own[QUEEN]:
            defended |= way
        self.add("passed_escorted", stop in defended, row)
        self.add("passed_free_step", stop not in attacked, row)
        self.add("passed_free_path", not way & (attacked | self.occupied), row)

    def king_attack(self) -> None:
        ring = self.ring - self.twice_by_enemy_pawns()
        units = 0
        for index, (piece_type, value) in enumerate(zip(KINDS, (6, 4, 5, 3), strict=True)):
            for attacks in self.attacks[piece_type].values():
                units += len(attacks & ring) + value * bool(attacks & ring)
                self.add("king_attacker", bool(attacks & ring), index)
        poorly_held = self.by(self.enemy_attacks, KING, QUEEN) | (set(range(64)) - self.enemy_reach)
        weak = (self.reach & poorly_held) - self.enemy_twice
        safe = {s for s in range(64) if s not in self.all_own
                and (s not in self.enemy_reach or (s in weak and s in self.reach_twice))}
        checks = self.check_squares()
        checks[QUEEN] &= safe - self.by(self.enemy_attacks, QUEEN)
        for index, (piece_type, value) in enumerate(zip(KINDS, (14, 11, 18, 14), strict=True)):
            self.add("safe_check", len(checks[piece_type] & safe), index)
            units += value * bool(checks[piece_type] & safe)
        unsafe = (checks[KNIGHT] | checks[BISHOP] | checks[ROOK]) - safe - self.all_own
        units += 4 * len(weak & self.ring) + 2 * len(unsafe)
        units -= 3 * bool(self.by(self.enemy_attacks, KNIGHT) & self.by(self.enemy_attacks, KING))
        units -= 22 * (not self.own[QUEEN])
        self.add("king_danger", 1, min(max(units, 0), 63))
        file = square_file(self.enemy_king)
        flank = {s for f in wing_files(file) for s in file_squares(f) if square_rank(s) >= 3}
        self.add("king_flank_attacks", len(self.reach & flank) + len(self.reach_twice & flank))

    def check_squares(self) -> dict[int, Squares]:
        """[type]: squares from which such a piece, which can go there, would check; the enemy queen is no shield."""
        thin = self.board.copy(stack=False)
        for queen in self.enemy[QUEEN]:
            thin.remove_piece_at(queen)
        found = {}
        for piece_type in KINDS:
            thin.set_piece_at(self.enemy_king, chess.Piece(piece_type, BLACK))
            found[piece_type] = set(thin.attacks(self.enemy_king)) & self.by(self.attacks, piece_type)
        return found

    def shelter(self) -> None:
        middle = min(max(square_file(self.king), 1), 6)
        for file in range(middle - 1, middle + 2):
            edge = 7 * min(file, 7 - file)
            rank, enemy_rank = (
                min((square_rank(s) for s in pawns & file_squares(file) if square_rank(s) >= square_rank(self.king)),
                    default=0)
                for pawns in (self.own[PAWN], self.enemy[PAWN]))
            self.add("shelter", 1, edge + rank)
            if rank and enemy_rank == rank + 1:
                self.add("storm_blocked", 1, enemy_rank)
            else:
                self.add("storm", 1, edge + enemy_rank)
        file_of_king = file_squares(square_file(self.king))
        if not self.own[PAWN] & file_of_king:
            self.add("king_half_open_file" if self.enemy[PAWN] & file_of_king else "king_open_file")
        self.add("castling_right", self.rights())
        pawns = self.own[PAWN] | self.enemy[PAWN]
        self.add("king_bare_wing", not any(square_file(s) in wing_files(square_file(self.king)) for s in pawns))
        self.add("king_nearest_pawn", 1, min((square_distance(self.king, s) for s in pawns), default=0))

    def threats(self) -> None:
        enemy_pieces = self.all_enemy - self.enemy[PAWN]
        held = self.by(self.enemy_attacks, PAWN) | (self.enemy_twice - self.reach_twice)
        weak = (self.all_enemy & self.reach) - held
        by_minor, by_rook = self.by(self.attacks, KNIGHT, BISHOP), self.by(self.attacks, ROOK)
        for piece_type in (PAWN, *KINDS):
            self.add("threat_by_minor", len(by_minor & (weak | enemy_pieces) & self.enemy[piece_type]), piece_type - 1)
            self.add("threat_by_rook", len(by_rook & weak & self.enemy[piece_type]), piece_type - 1)
        self.add("threat_by_king", bool(weak & self.by(self.attacks, KING)))
        self.add("hanging", sum(s not in self.enemy_reach or (s in enemy_pieces and s in self.reach_twice)
                                for s in weak))
        self.add("restricted", len((self.enemy_reach & self.reach) - held))
        self.queen_chase({s for s in set(range(64)) - self.all_own - held
                          if s not in self.enemy_reach or s in self.reach_twice})
        victims = enemy_pieces - self.enemy[KING]
        standing = [s for s in self.own[PAWN] if self.is_tenable(s)]
        for piece_type in KINDS:
            self.add("threat_by_pawn", len(self.enemy[piece_type] & self.pawn_targets(standing)), piece_type - KNIGHT)
        pushed = [s for s in self.pushes() if self.is_tenable(s) and s not in self.by(self.enemy_attacks, PAWN)]
        self.add("threat_by_push", len(victims & self.pawn_targets(pushed)))

    def queen_chase(self, safe: Squares) -> None:
        if not self.enemy[QUEEN]:
            return
        queen = min(self.enemy[QUEEN])
        hunted = self.board.copy(stack=False)
        for index, piece_type in enumerate((KNIGHT, BISHOP, ROOK)):
            hunted.set_piece_at(queen, chess.Piece(piece_type, BLACK))
            squares = set(hunted.attacks(queen)) & safe & self.by(self.attacks, piece_type)
            self.add("queen_chased", len(squares), index)

    def is_tenable(self, square: int) -> bool:
        return square not in self.enemy_reach or square in self.reach

    @staticmethod
    def pawn_targets(squares: Iterable[int]) -> Squares:
        return {target for square in squares for target in chess.SquareSet(chess.BB_PAWN_ATTACKS[WHITE][square])}

    def pushes(self) -> Squares:
        single = {s + 8 for s in self.own[PAWN]} - self.occupied
        return single | ({s + 8 for s in single if square_rank(s) == 2} - self.occupied)

    def minors(self) -> None:
        bishops, knights, own_pawns = self.own[BISHOP], self.own[KNIGHT], self.own[PAWN]
        self.add("bishop_pair", len({is_light(s) for s in bishops}) == 2)
        blocked = {s for s in own_pawns if s + 8 in self.occupied and 2 <= square_file(s) <= 5}
        for square in bishops:
            self.add("bishop_long_diagonal", len(self.attacks[BISHOP][square] & CENTRE) == 2)
            self.add("bad_bishop", sum(is_light(s) == is_light(square) for s in own_pawns))
            self.add("bad_bishop_blocked", sum(is_light(s) == is_light(square) for s in blocked))
            self.add("king_distance_bishop", square_distance(square, self.king))
        for corner, guard in ((chess.A7, chess.B6), (chess.H7, chess.G6)):
            self.add("trapped_bishop", corner in bishops and guard in self.enemy[PAWN])
        outposts = {s for s in self.by(self.attacks, PAWN)
                    if 3 <= square_rank(s) <= 5 and not self.enemy[PAWN] & ahead(s, neighbours(s))}
        self.add("outpost_knight", len(knights & outposts))
        self.add("outpost_bishop", len(bishops & outposts))
        self.add("outpost_reachable", bool(self.by(self.attacks, KNIGHT) & outposts - self.all_own))
        pawns = own_pawns | self.enemy[PAWN]
        self.add("minor_behind_pawn", sum(s + 8 in pawns for s in knights | bishops))
        self.add("king_distance_knight", sum(square_distance(s, self.king) for s in knights))
        self.add("knight_per_pawn", len(knights) * (len(own_pawns) - 5))

    def rooks(self) -> None:
        own_files = {square_file(s) for s in self.own[PAWN]}
        enemy_files = {square_file(s) for s in self.enemy[PAWN]}
        has_prey = square_rank(self.enemy_king) == 7 or any(square_rank(s) == 6 for s in self.enemy[PAWN])
        for square in self.own[ROOK]:
            if square_file(square) not in own_files:
                is_open = square_file(square) not in enemy_files
                self.add("rook_open_file" if is_open else "rook_half_open_file")
            self.add("rook_on_seventh", square_rank(square) == 6 and has_prey)
        self.add("rook_per_pawn", len(self.own[ROOK]) * (len(self.own[PAWN]) - 5))

    def space(self) -> None:
        self.add("centre_control", len(self.reach & CENTRE) + len(self.reach_twice & CENTRE))
        area = {chess.square(file, rank) for file in range(2, 6) for rank in range(1, 4)}
        safe = area - self.own[PAWN] - self.by(self.enemy_attacks, PAWN)
        behind = {s for s in safe - self.enemy_reach
                  if self.own[PAWN] & {s + 8, s + 16, s + 24}}
        self.add("space", len(safe) + len(behind))
