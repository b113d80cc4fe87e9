"""A planning problem with many short lives of all sizes: many.py COUNT."""
import sys

state = 1


def below(limit):
    """Numbers of a linear congruence: the same with every Python."""
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % limit


count = int(sys.argv[1])
print("id,lower,upper,size")
for i in range(count):
    lower = below(count // 2)
    print(f"b{i},{lower},{lower + 1 + below(60)},{16 << below(11)}")
