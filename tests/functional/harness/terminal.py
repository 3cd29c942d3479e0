"""Runs a command on a terminal of 30 rows and 100 columns, passes on what that is shown, and ends as the command did.

    terminal.py TEXT COMMAND..      presses Ctrl-C when the terminal shows TEXT; never, if that is empty
"""

import fcntl
import os
import pty
import struct
import sys
import termios

text, command = sys.argv[1].encode(), sys.argv[2:]
ready, go = os.pipe()
child, terminal = pty.fork()
if child == 0:
    os.read(ready, 1)
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
os.write(go, b"!")
shown, pressed = b"", not text
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:
        break
    if not more:
        break
    shown += more
    if not pressed and text in shown:
        os.write(terminal, b"\x03")
        pressed = True
sys.stdout.buffer.write(shown)
sys.stdout.flush()
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
