// What a browser keeps of graphs, and when it warns: another key, a sequence that goes back, another
// root of the same number.

import t from 'tap'
import { type PinStorage, Pins } from '../../../../src/studio/lib/memory/pins.js'

function storage(text: string | null = null): PinStorage {
  let kept = text
  return {
    getItem: () => kept,
    setItem: (_, given) => {
      kept = given
    },
  }
}

const place = { space: 'main', graph: 'g' }
const seen = { graphKey: '0xk', sequence: 3, root: '0xr' }

t.test('nothing is said at the first sight, or while all goes on', async (t) => {
  const pins = new Pins(storage())
  t.equal(pins.warning(place, seen), undefined)
  pins.keep(place, seen)
  t.equal(pins.warning(place, seen), undefined)
  t.equal(pins.warning(place, { ...seen, sequence: 4, root: '0xs' }), undefined)
  t.equal(pins.warning(place, { ...seen, sequence: null, root: null }), undefined)
  t.equal(pins.warning({ ...place, space: 'other' }, { ...seen, sequence: 1 }), undefined)
})

t.test('it warns of what changed or went back', async (t) => {
  const pins = new Pins(storage())
  pins.keep(place, seen)
  t.match(pins.warning(place, { ...seen, graphKey: '0xj' }), /is 0xj, and was 0xk/)
  t.match(pins.warning(place, { ...seen, graphKey: null }), /is gone, and was 0xk/)
  t.match(pins.warning(place, { ...seen, sequence: 2 }), /is number 2, and was 3/)
  t.match(pins.warning(place, { ...seen, root: '0xq' }), /Root number 3 .* is 0xq, and was 0xr/)
})

t.test('a sequence that was not asked for stays', async (t) => {
  const pins = new Pins(storage())
  pins.keep(place, seen)
  pins.keep(place, { ...seen, sequence: null, root: null })
  t.match(pins.warning(place, { ...seen, sequence: 2 }), /and was 3/)
  pins.keep(place, { graphKey: '0xj', sequence: null, root: null })
  t.equal(pins.warning(place, { ...seen, graphKey: '0xj', sequence: 1 }), undefined, 'a new graph')
})

t.test('what is no pin is as nothing', async (t) => {
  const texts = ['', 'null', '[]', '7', '{"main g":{"graphKey":7}}', '{"main g":null}']
  for (const text of texts) {
    const pins = new Pins(storage(text))
    t.equal(pins.warning(place, seen), undefined, text)
    pins.keep(place, seen)
    t.match(pins.warning(place, { ...seen, sequence: 1 }), /and was 3/, text)
  }
})
