// The tables of RFC 3454 that RFC 4013 refers to, computed from Unicode 3.2: ranges of code points
// in base 36. `a` is a code point, `a+b` includes the next `b`; each counts from the end of the
// range before.

/** A.1: code points without a meaning in Unicode 3.2. */
export const unassigned = ranges(
  'f5 j+r 2n+1 1s+g 29+f h+3 3+3 2+2 2+4 8 2 l 19 14+8 3s 20 13+1 3+5 h+w 13+1 8 14 3+5 ' +
    'i o b+a s+4 6+m 2+d 2+2 2 r+4 n+9 3z+1 g f v+2 s+1g 1f+9a 4 1i+1 j+1 6+2 q+f 4 9+1 ' +
    '3+1 n 8 2+2 5+1 2 8+1 3+1 4+8 2+3 3 6+1 m+6 2+1 7+3 3+1 n 8 3 3 3+1 2 6+3 3+1 4+a 5 ' +
    '2+6 g+b 4 8 2 4 n 8 3 6+1 b 4 4+1 2+e 2+4 b+g 4 9+1 3+1 n 8 3+1 5+1 9+2 3+1 4+7 3+3 ' +
    '3 4+3 c+g 3 7+2 4 5+2 3 2 3+2 3+2 4+2 9 4+3 6+2 4 5+8 2+e d+d 4 9 4 o b 6+3 8 4 5+6 ' +
    '3+8 3+3 b+h 3 9 4 o b 6+3 8 4 5+6 3+6 2 3+3 b+h 3 9 4 o h+3 7+1 4 5+8 2+7 3+3 b+h 3 ' +
    'j+2 p a 2+1 8+2 2+3 7 2 9+h 4+b 1n+3 u+10 3 2+1 3 2+1 2+5 5 8 4 2 2+1 3 e 4+1 6 2 ' +
    '7+1 b+1 3+x 21 z+5 s+3 9 11 g+1 2+1b z 6 3 8+2 5+5 r+1x 13+9 16+1 2+3 2j+4 1x+4 2b+5 ' +
    '8 1s 2 5+1 8 2 5+1 14 2 5+1 w 2 5+1 8 2 5+1 8 8 o w 2 5+1 8 14 k+5 t+y 2e+b hj+8 u+2 ' +
    '2a+e e 8+a o+8 l+b e 4 3+b 2m+2 b+l g b+5 2h+7 17+11x 4d+3 2j+5 n+1 7+1 13+1 7+1 9 2 ' +
    '2 2 w+1 1i g f+1 7 k+1 4 a 2c+3 2+6 6+5 9+1 s+g j+t s+k 1o+1 g+6 1e+b g0+1c 14+o c+k ' +
    '4g 7p+1 3 2u+1 b+3a 5 5+1 t 10 2 5+2 2 8+1 1h+2 p f+g t+3 lt+ov r 2i+b 5z+p d+3 1t ' +
    '2f+1 2w+4 15+3 2n 15+1j 1a+2 11+c 18+2 26+3 1c 3c+3 2s+1 w 52v+21 g4n+2h we+2 1k+1fc ' +
    '8md+2j 6r3+1 1o+44 8+b 6+4 r 6 2 3 3 31+w a6+f 1t+1 1j+7 1a+2 h+f 5+b o+1 b k 5+3 6 ' +
    '3s+1 2 5b+2 7+1 7+1 7+1 4+2 8 8+9 8+lb w 5+b s+50 13+1 13+148h 6v+9 14+2 51+f5 2e 20 ' +
    '3+1 2+1 3+1 5 d 2 5 3 1u 5+1 9 8 t 5 6 2+2 8 9f+3 83+3 1f+7wd wyi+g14 f3+15r 3+1ekd ' +
    '3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3+1ekd 3 2+t 2p+1egt',
)

/** C.1.2, C.2.1 to C.9: spaces, controls, private use, surrogates and the like. */
export const prohibited = ranges(
  '0+v 2o+x io+1 po 1e 31t b2 1ki+f p+7 1c+4 7+5 329+b 5 x6o+6in y9+v 7k 6y+6 15dg+7 ' +
    '96s+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 1ekf+1 ' +
    '1ekf+1 2 v+2n 1egv+2t4x',
)

/** B.1: commonly mapped to nothing. */
export const mappedToNothing = ranges('4t iq 43b 5+2 1ku+2 2b 17s0+f 6o')

/** C.1.2: spaces other than the ASCII one. */
export const mappedToSpace = ranges('4g 4bk 1vk+b 10 1c 335')

/** D.1: right-to-left characters. */
export const rightToLeft = ranges(
  '14u 2 3 d+q 6+4 13 4 2+p 6+a z+2 2+2s 8 8+1 k+4 2+d 3 2+q 2c+11 c 4ta 179q 2+9 2+c ' +
    '2+4 2 2+1 2+1 2+2z y+a2 j+1r 3+1h 15+c 38+4 2+3q',
)

/** D.2: left-to-right characters. */
export const leftToRight = ranges(
  '1t+p 7+p 1c b 5 6+m 2+u 2+88 2+h t+2l 3+8 3+6 f+1 f+4 a 3w c 2+2 2 2+j 2+17 2+11 ' +
    'b+3m 8+1w 2+11 3+1 7+f y+11 3+6 2+12 2 oq 2+1g 4+3 9+3 4 8+9 3+c i+1 2+7 3+1 3+l 2+6 ' +
    '2 4+3 5+2 7+1 3+1 b 5+1 2+2 5+b 3+6 b+5 5+1 3+l 2+6 2+1 2+1 2+1 5+2 p+3 2 8+9 3+2 f ' +
    '2+6 2 2+2 2+l 2+6 2+1 2+4 4+3 9 2+1 4 g 6+9 j+1 2+7 3+1 3+l 2+6 2+1 3+3 4+1 2 7+1 ' +
    '3+1 b 5+1 2+2 5+a j 2+5 4+2 2+3 4+1 2 2+1 4+1 4+2 4+7 2+2 5+1 2+1 4+2 2+2 b g+b f+2 ' +
    '2+7 2+2 2+m 2+9 2+4 8+3 s+1 5+9 j+1 2+7 2+2 2+m 2+9 2+4 5 2+4 3+1 2+1 a+1 8 2+1 5+9 ' +
    'j+1 2+7 2+2 2+m 2+f 5+2 6+2 2+2 b 9+1 5+9 j+1 2+h 4+n 2+8 2 3+6 9+2 7+7 j+2 d+1b 2+1 ' +
    'd+6 9+c 12+1 2 3+1 2 3 7+3 2+6 2+2 2 2 3+1 2+3 2+1 a 3+4 2 a+9 3+1 z+n 3+q 2 2 6+9 ' +
    '2+x l 6 3+3 1f+7 2+5 3 1d+x 2+4 2+1 2 5 7 8+n 21+11 b+14 3 5+2h 6+1v 6+29 7+6 2+1q 2 ' +
    '2+3 3+6 2 2+3 3+12 2 2+3 3+u 2 2+3 3+6 2 2+3 3+6 2+6 2+m 2+u 2 2+3 3+6 2+12 2+i 7+r ' +
    '10+2c d+hh b+p 6+28 g+c 2+3 f+h 4+1 a+h f+c 2+2 g+1i 8+7 2+1 c+6 2 4+9 13+9 7+2f ' +
    '9+14 120+4b 5+2h 7+l 3+5 3+11 3+5 3+7 2 2 2 2+u 3+1g 2+6 2 4+2 2+6 4+3 3+5 5+c 6+2 ' +
    '2+6 i 2r e 3n 5 3+9 2 4+4 7 2 2 2+3 2+2 2+6 4+2 6+4 n+z c3+1w r 7b+25 270+2 q+8 8+4 ' +
    '3+4 5+2d 7+2 2+2h 2+3 6+13 5+2l 2+13 1l+18 4+z t+r 4+1d g+b 5+1a 2+3a 5+2q 3+u 2+52t ' +
    '23+g4l 2j+wc 1h0+8mb 2l+6r1 3+1m 46+6 d+4 sq+p 7+p c+2g 4+5 3+5 3+5 3+2 mc+u 2+3 d+q ' +
    '52+11 3+11 148j+6t b+12 4+1o 4+8 h+1 8+t 5+1b f7+2c 2+1y 2+1 3 3+1 3+3 2+b 2 2+3 2+1 ' +
    '2+1s 2+3 3+7 2+6 2+r 2+3 2+4 2 4+6 2+9d 5+81 7xz+wye g16+f1 gvz7+1ekd 3+1ekd',
)

/** Whether `codePoint` lies in one of the ranges: [first, last, first, last …], ascending. */
export function inTable(table: Uint32Array, codePoint: number): boolean {
  let low = 0
  let high = table.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (codePoint < (table[2 * middle] ?? 0)) high = middle - 1
    else if (codePoint > (table[2 * middle + 1] ?? 0)) low = middle + 1
    else return true
  }
  return false
}

function ranges(packed: string): Uint32Array {
  const table: number[] = []
  let at = 0
  for (const part of packed.split(' ')) {
    const [skip = '', more = '0'] = part.split('+')
    const first = at + Number.parseInt(skip, 36)
    at = first + Number.parseInt(more, 36)
    table.push(first, at)
  }
  return Uint32Array.from(table)
}
