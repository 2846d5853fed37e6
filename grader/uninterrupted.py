"""What the process from which checks are forked imports first: Ctrl-C is for the process that waits for the check. Until
then it is blocked, see exercises.check()."""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
