// `npm run docs`: writes the generated pages of docs/.

import { mkdirSync, writeFileSync } from 'node:fs'
import { referencePages } from './reference.js'

mkdirSync('docs', { recursive: true })
for (const [name, content] of referencePages()) writeFileSync(`docs/${name}`, content)
