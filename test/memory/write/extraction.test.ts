// What is found in a text without being told: by fixed rules, each find with its rule; and names
// that the graph knows, the longest first.

import t from 'tap'
import { namesOfTextMax } from '../../../src/base/limits/memory.js'
import { normName } from '../../../src/memory/nodes/names.js'
import { findPatterns } from '../../../src/memory/write/patterns.js'
import { eachRoom, type Reply } from '../../support/command-room.js'

const found = (text: string): string[] =>
  findPatterns(text).map(({ name, kind, rule }) => `${rule}|${kind ?? ''}|${name}`)

const names = (...found: readonly string[]): string[] => found.map((name) => `capitals||${name}`)

t.test('a rule finds what it is for', async (t) => {
  const address = `0x${'aB'.repeat(20)}`
  const hash = `0x${'12'.repeat(32)}`
  const table: readonly (readonly [string, readonly string[]])[] = [
    [`sent to ${address}.`, [`address|address|${address}`]],
    [`in ${hash}`, [`hash|hash|${hash}`]],
    ['see https://a.test/x_y?q=1.', ['url|url|https://a.test/x_y?q=1', 'host|host|a.test']],
    ['on example.com today', ['host|host|example.com']],
    ['mail a.b+c@x.test now', ['email|email|a.b+c@x.test']],
    ['ask @ada_l about it', ['handle|handle|@ada_l']],
    ['tagged #日本語 and #1', ['tag|tag|#日本語']],
    ['owned by vitalik.eth', ['ens|ens|vitalik.eth']],
    ['(a-b.c.eth) -x.eth', ['ens|ens|a-b.c.eth', 'ens|ens|x.eth']],
    ['my-host.example.org/x', ['host|host|my-host.example.org']],
    [
      'in /etc/hosts.d/x, or ./src/main.ts',
      ['path|path|/etc/hosts.d/x', 'path|path|./src/main.ts'],
    ],
    ['on 2024-02-29', ['date|date|2024-02-29']],
    ['at 2024-02-29T10:00:00Z', ['date|date|2024-02-29T10:00:00Z']],
    ['not 2024-13-01', []],
    ['since v1.2.3-rc.1', ['version|version|v1.2.3-rc.1']],
    ['run `npm ci` first', ['code|code|npm ci']],
    [
      'the WriteBuffer of snake_case_name',
      ['identifier|identifier|snake_case_name', 'identifier|identifier|WriteBuffer'],
    ],
    ['we met Grace Hopper in New York.', ['capitals||Grace Hopper', 'capitals||New York']],
    ['Yesterday it rained. Nobody came.', []],
    ['The Beatles played. Ada Lovelace wrote.', ['capitals||Beatles', 'capitals||Ada Lovelace']],
    ['FAL-318 is open, see `x`.', ['code|code|x', 'number|number|FAL-318']],
    ['On Monday, 3 October, Dr Amsel weighed 70 KG.', ['capitals||Amsel']],
    [
      'While Sofia slept. Only Ruth Amsel came. Answer Mia.',
      ['capitals||Sofia', 'capitals||Ruth Amsel', 'capitals||Mia'],
    ],
    ['Der Mietvertrag und die Heizung sind alt. Die Heizung tropft.', []],
    ['Herr Kowalski zieht im Oktober nach Bremen.', ['capitals||Kowalski', 'capitals||Bremen']],
    ['nothing here', []],
    // Known parts make a noun; a first part that is no word makes a name.
    ['Schwimmen macht Spaß, Hartkäse und Permakultur auch.', []],
    ['Wir wandern auf den Watzmann.', ['capitals||Watzmann']],
    ['Beim Roten Kreuz und am Hackescher Markt.', names('Roten Kreuz', 'Hackescher Markt')],
    ['Der Makler ist Engel & Völkers, es gibt Kaffee & Kuchen.', names('Engel & Völkers')],
    ['Annas Rad steht in Frankfurt am Main.', names('Anna', 'Frankfurt am Main')],
    ['Die Zimmerei Vogel und Kollegin Sommer sind da.', names('Zimmerei Vogel', 'Sommer')],
    ['Meine Schwester, Malou, lernt Cello.', names('Malou')],
    ['In Essen gab es gutes Essen.', names('Essen')],
    ['Ansonsten geht es gut. Unheimlich war es nicht.', []],
    ['Das Lied ist von Element of Crime.', names('Element of Crime')],
    ['DAS IST NICHT GUT, sagt die AOK.', names('AOK')],
    ['Wir nutzen nginx und Google Maps.', names('nginx', 'Google Maps')],
    ['They worked for British Rail and read The Guardian.', names('British Rail', 'The Guardian')],
    ['Lowell owes us money, she speaks Amharic.', names('Lowell')],
    ["Sainsbury's delivers, on 5J 561.", ['number|number|5J 561', ...names("Sainsbury's")]],
    ['東京に行った', []],
  ]
  for (const [text, expected] of table) t.same(found(text), expected, text)
})

t.test('what one rule has taken, the next do not see', async (t) => {
  t.same(found('`https://a.test`'), ['code|code|https://a.test'])
  t.same(found('https://a.test/2024-01-01/v1.2.3/'), [
    'url|url|https://a.test/2024-01-01/v1.2.3/',
    'host|host|a.test',
  ])
})

t.test('long texts of one kind take no longer than others', async (t) => {
  const labels = [`${'-a'.repeat(31)}.`, `${'a-'.repeat(31)}.`]
  const hostile = [
    'a.',
    'A ',
    '@a',
    '/a',
    '_a',
    '1.',
    '-',
    '`',
    '0x',
    'Aa',
    '#',
    'a@',
    'A-',
    'A1',
    'a/',
    'a-b',
    '"A ',
    ...labels,
  ]
  for (const piece of hostile) {
    const text = piece.repeat(Math.floor(8_192 / piece.length))
    const started = process.cpuUsage()
    findPatterns(text)
    const { user } = process.cpuUsage(started)
    t.ok(user < 500_000, `${piece}: ${user} µs`)
  }
})

t.test('names are compared without case, spaces and quotation marks', async (t) => {
  t.equal(normName('  “Ada\u00a0 LOVELACE” '), 'ada lovelace')
  t.equal(normName('Ｆｕｌｌ'), 'full')
  t.equal(normName('İ'), 'i̇')
  t.equal(normName('"\'"'), '')
})

eachRoom(t, 'known names are found in a text, the longest at each place', async (t, room) => {
  const entities = [
    ...['York', 'New York', 'New York City', '東京', 'a'],
    { name: 'Analytical Engine', kind: 'machine', aliases: ["Babbage's engine", 'engine no. 2'] },
  ]
  await room.run({ rememberMemories: 'g', memories: [{ text: 'start', entities }] })
  const known = async (text: string): Promise<string[]> => {
    const { results } = await room.run({ rememberMemories: 'g', memories: [{ text }] })
    const extracted: Reply[] = results[0].extracted
    return extracted.filter(({ rule }) => rule === 'known').map(({ name }) => String(name))
  }
  t.same(await known('from york to new  york city, a long way'), ['York', 'New York City'])
  t.same(await known('new yorker'), [], 'a name ends with a word')
  t.same(await known('NEW YORK is not york'), ['New York', 'York'])
  t.same(await known("about babbage's engine and engine no. 2"), ['Analytical Engine'])
  t.same(await known('彼は東京に行った'), ['東京'])
})

eachRoom(t, 'a name is that of the entity whose own it is', async (t, room) => {
  const others = Array.from({ length: 8 }, (_, i) => ({ name: `bob ${i}`, aliases: ['tau'] }))
  await room.run({ rememberMemories: 'g', memories: [{ text: 'own', entities: ['tau'] }] })
  await room.run({ rememberMemories: 'g', memories: [{ text: 'start', entities: others }] })
  const memories = [{ text: 'about tau' }]
  const [{ extracted }] = (await room.run({ rememberMemories: 'g', memories })).results
  t.match(extracted[0], { name: 'tau', rule: 'known' })
})

eachRoom(t, 'a name without a kind is what the graph knows it as', async (t, room) => {
  const remember = async (text: string, entity: unknown): Promise<Reply> => {
    const memories = [{ text, entities: [entity] }]
    return (await room.run({ rememberMemories: 'g', memories })).results[0].linked[0]
  }
  const place = await remember('one', { name: 'Paris', kind: 'place' })
  t.equal((await remember('two', 'paris')).id, place.id)
  const person = await remember('three', { name: 'Paris', kind: 'person' })
  t.not(person.id, place.id, 'another kind is another entity')
  t.equal((await remember('four', place.id)).id, place.id, 'an id is good too')
  const aliased = await remember('five', {
    name: 'PARIS',
    kind: 'place',
    aliases: ['City of Light'],
  })
  t.equal(aliased.id, place.id)
  t.equal((await remember('six', 'city of light')).id, place.id, 'names are added')
})

eachRoom(t, 'of very many known names a text is compared with some hundreds', async (t, room) => {
  const heads = Array.from({ length: 12 }, (_, i) => String.fromCodePoint(0x4e00 + i))
  for (const head of heads) {
    const entities = Array.from({ length: 64 }, (_, i) => `${head}\u5f00${i}`)
    for (const some of [entities.slice(0, 32), entities.slice(32)]) {
      const memories = [{ text: `of ${head} ${some.length} ${some[0]}`, entities: some }]
      await room.run({ rememberMemories: 'many', memories })
    }
  }
  const text = heads.map((head) => `${head}\u5f007`).join(' ')
  const { results } = await room.run({ rememberMemories: 'many', memories: [{ text }] })
  const known = results[0].extracted.filter(({ rule }: Reply) => rule === 'known')
  t.equal(known.length, Math.ceil(namesOfTextMax / 64))
})

eachRoom(t, 'accents fold: one name is one entity, found by either spelling', async (t, room) => {
  const remember = async (text: string): Promise<Reply> =>
    (await room.run({ rememberMemories: 'g', memories: [{ text }] })).results[0]
  const first = await remember('We met Tomás in the harbour.')
  const second = await remember('Then Tomas called, and later we saw Tomás.')
  const ids = ({ linked }: Reply) => linked.map(({ id }: Reply) => id)
  t.same(ids(second), ids(first))
  for (const entity of ['Tomas', 'TOMÁS', 'tomás']) {
    t.equal((await room.run({ recallMemories: 'g', entity })).memories.length, 2, entity)
  }
  await remember('We met Muller in the harbour.')
  t.equal((await room.run({ recallMemories: 'g', entity: 'Müller' })).memories.length, 1)
})

eachRoom(t, 'a first name is the one earlier person whom it fits', async (t, room) => {
  const linked = async (text: string): Promise<string[]> => {
    const { results } = await room.run({ rememberMemories: 'g', memories: [{ text }] })
    return results[0].linked.map(({ name }: Reply) => String(name))
  }
  t.same(await linked('Lunch with Aisha Khan. Aisha pays.'), ['Aisha Khan'])
  t.same(await linked('Dinner with Aisha was late.'), ['Aisha Khan'])
  const text = 'Lunch with Élodie Marchand. Elodie pays, Élodie sleeps.'
  t.same(await linked(text), ['Élodie Marchand'], 'accents fold inside one text too')
  t.same(await linked('Then Elodie called.'), ['Élodie Marchand'])
  t.same(await linked('We saw Zoe today. Zoë was late.'), ['Zoe'])
  t.equal((await room.run({ recallMemories: 'g', entity: 'aisha' })).memories.length, 2)
  t.same(await linked('Lunch with Aisha Bello was short.'), ['Aisha Bello'])
  t.same(await linked('Tea with Aisha was long.'), ['Aisha'], 'it fits two')
  t.same(await linked('We met Tomás today.'), ['Tomás'])
  t.same(await linked('We met Tomás Rivera again.'), ['Tomás'], 'one person is not two')
  t.same(await linked('And we met Tomás once more.'), ['Tomás'])
  t.equal((await room.run({ recallMemories: 'g', entity: 'Tomas Rivera' })).memories.length, 3)
})
