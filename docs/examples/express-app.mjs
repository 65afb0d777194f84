// An Express application on one Sigil: mongoose keeps the notes, connect-redis the sessions. Both reach
// the same server with the same key, one by the document wire and one by the key-value protocol.
//
//     npm install express express-session mongoose redis connect-redis
//     SIGIL_USER=operator SIGIL_API_KEY=svc_op_… node docs/examples/express-app.mjs

import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import mongoose from 'mongoose'
import { createClient } from 'redis'

const { SIGIL_USER = 'operator', SIGIL_API_KEY = '', PORT = '3000' } = process.env
const { SIGIL_WIRE = '127.0.0.1:27017', SIGIL_REDIS = '127.0.0.1:6379' } = process.env
const login = `${encodeURIComponent(SIGIL_USER)}:${SIGIL_API_KEY}`

await mongoose.connect(`mongodb://${login}@${SIGIL_WIRE}/main`)
const redis = createClient({ url: `redis://${login}@${SIGIL_REDIS}` })
redis.on('error', (error) => console.error(error.message))
await redis.connect()

const noteSchema = new mongoose.Schema(
  {
    author: { type: String, required: true, index: true },
    text: { type: String, required: true, maxlength: 1_000 },
  },
  { timestamps: true, collection: 'app_notes' },
)
const Note = mongoose.model('Note', noteSchema)
await Note.init()

const app = express()
app.use(express.json())
app.use(
  session({
    store: new RedisStore({ client: redis, prefix: 'app:session:', ttl: 3_600 }),
    secret: process.env.SESSION_SECRET ?? 'change this in production',
    resave: false,
    saveUninitialized: false,
  }),
)

// A real application checks a password here.
app.post('/login', (request, response) => {
  request.session.user = String(request.body.name)
  response.json({ user: request.session.user })
})

app.post('/logout', (request, response) => {
  request.session.destroy(() => response.json({}))
})

app.use('/notes', (request, response, next) => {
  if (request.session.user === undefined) response.status(401).json({ error: 'log in first' })
  else next()
})

app.post('/notes', async (request, response) => {
  const note = await Note.create({ author: request.session.user, text: request.body.text })
  response.status(201).json(note)
})

app.get('/notes', async (request, response) => {
  const notes = await Note.find({ author: request.session.user }).sort({ createdAt: -1 }).limit(50)
  response.json(notes)
})

app.use((error, _request, response, _next) => {
  const isInvalid = error instanceof mongoose.Error.ValidationError
  response.status(isInvalid ? 400 : 500).json({ error: error.message })
})

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})

process.once('SIGTERM', async () => {
  server.close()
  await mongoose.disconnect()
  redis.destroy()
})
