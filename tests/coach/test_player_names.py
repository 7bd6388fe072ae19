"""Names of players as people write them."""

from __future__ import annotations

import pytest

from engine.coach.player_names import find_player
from engine.system.errors import InputError

GAMES = {"Carlsen, Magnus": 12, "Carlsen,M": 3, "Carlsen, Henrik": 1, "Polgár, Judit": 5, "Polgar, Zsuzsa": 4,
         "Nguyễn, Văn": 2, "Sørensen, Åge": 2, "anna": 7, "anna b": 3, "DrNykterstein": 6, "?": 9}


@pytest.mark.parametrize(("wanted", "names"), [
    ("Carlsen, Magnus", {"Carlsen, Magnus", "Carlsen,M"}), ("magnus", {"Carlsen, Magnus"}),
    ("Henrik", {"Carlsen, Henrik"}),
    ("judit polgar", {"Polgár, Judit"}), ("Polgár, Z.", {"Polgar, Zsuzsa"}), ("van nguyen", {"Nguyễn, Văn"}),
    ("sorensen", {"Sørensen, Åge"}), ("anna", {"anna"}), ("ANNA B", {"anna b"}), ("drnykterstein", {"DrNykterstein"})])
def test_one_player_is_found(wanted, names):
    assert find_player(wanted, GAMES) == names


def test_spellings_of_one_player_belong_together():
    games = {"Carlsen, Magnus": 12, "Magnus Carlsen": 2, "Carlsen,M": 3, "Caruana, F": 1}
    for wanted in ("carlsen", "Magnus Carlsen", "Carlsen, M.", "carlsen magnus"):
        assert find_player(wanted, games) == {"Carlsen, Magnus", "Magnus Carlsen", "Carlsen,M"}
    assert find_player("Carlsen, Magnus", {**games, "Carlsen, Mads": 1}) == {"Carlsen, Magnus", "Magnus Carlsen"}


def test_a_name_in_another_order_is_listed_once():
    with pytest.raises(InputError) as caught:
        find_player("nobody", {"Hans Meier": 1, "MEIER HANS": 1, "Meier, Hans": 2, "Smith, J.": 3})
    assert str(caught.value).endswith("there are Meier, Hans (4 games); Smith, J. (3 games)")


@pytest.mark.parametrize(("wanted", "message"), [
    ("carlsen", ("several players match 'carlsen': Carlsen, Magnus (12 games); Carlsen,M (3 games); "
                "Carlsen, Henrik (1 game)")),
    ("Carlson", "no player 'Carlson' in these games; there are "), ("Judith Polgar", "Polgár, Judit (5 games)"),
    ("M", "no player 'M'"), ("...", "no player '...'")])
def test_others_get_a_list(wanted, message):
    with pytest.raises(InputError) as caught:
        find_player(wanted, GAMES)
    assert message in str(caught.value)


def test_games_without_names_have_no_player():
    with pytest.raises(InputError, match="no names of players"):
        find_player("anna", {"?": 3})
