import { setTimeout as pause } from 'node:timers/promises'
import { openLog } from '#http/log.ts'
import { httpServer } from '#http/server.ts'
import { openStore } from '#storage/open.ts'
import { app, routes } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server that writes the row before the file is in its place: the experiment on uploads must find it out. */
const config = configFrom(process.env)
const { storage, secret } = await openStore(config)
const { house } = await app(storage, config, secret, openLog('silent'))
const { files } = house
const late = {
  ...files,
  draft: async () => {
    const draft = await files.draft()
    const discard = async () => {
      await pause(200)
      await draft.discard()
    }
    return Object.assign(Object.create(draft), { discard: () => void discard() })
  },
  put: async (...asked: Parameters<typeof files.put>) => {
    pause(100).then(() => files.put(...asked))
  },
}
house.registry.clear()
const server = httpServer({ ...house, files: late }, routes)
await server.listen({ host: config.host, port: config.port })
