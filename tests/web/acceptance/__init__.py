"""What the web app promises to whoever uses it, each proved in a real browser.

Times have their thresholds in `bench/bench_web.py`; here it is checked that the thing works.

    recording           1 first demo in six clicks, 2 the next one in two, 3 kill -9, 4 closed tab,
                        5 full disk, 6 latency, 7 slow page, 8 gestures, 9 geometry, 10 aligned
                        state, 11 undo and discard, 12 any text, 13 lost device, 14 goal banner
    viewing, editing    15 opens quickly, 16 deep links, 17 an edit is its command, 18 overlays
    reviewing           19 by keyboard, 20 where words come from, 21 no shortcut while one writes
    runs                22 gallery, 23 static copy
    everywhere          24 security, 25 accessibility, language, two people
"""
