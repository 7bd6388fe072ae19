"""Games as users have them."""

OPERA = """[Event "Casual"]
[Site "?"]
[Date "1858.??.??"]
[Round "?"]
[White "Morphy"]
[Black "Duke / Count"]
[Result "1-0"]
[Odd "a \\"quoted\\" thing"]

{ at the opera } 1. e4 e5 2. Nf3 d6 3. d4 Bg4 {a weak move} (3... exd4 4. Nxd4 (4. Qxd4 a6) Nf6) 4. dxe5 Bxf3
5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 $1 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7
14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0

"""
BROKEN = """[Event "Broken"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 e5 2. Ke4 Nf6 *

"""
CHESS960 = """[Event "Fischer"]
[White "C"]
[Black "D"]
[Result "*"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/R4KR1 w GA - 0 1"]

1. O-O Kd7 2. Rad1+ Kc6 *

"""
MATED = """[Event "Trap"]
[White "A"]
[Black "B"]
[Result "0-1"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1

"""
ENDING = """[Event "Ending"]
[White "A"]
[Black "C"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "8/8/8/8/1r6/2k5/8/K3R3 w - - 0 1"]

1. Re3+ Kc2 2. Re2+ Kd3 *

"""
ATOMIC = """[Event "Another game"]
[White "E"]
[Black "F"]
[Result "*"]
[Variant "Atomic"]

1. e4 *

"""
EMPTY = """[Event "Nobody came"]
[White "E"]
[Black "F"]
[Result "*"]

*

"""
ALL = OPERA + BROKEN + CHESS960 + MATED + ATOMIC + EMPTY + ENDING
