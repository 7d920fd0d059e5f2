import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createHttpServer } from '#http/server/server.ts'
import { createApp, routes } from '#server/app.ts'

/** Control: a server that writes the row before the file must fail the experiment on uploads. */
const config = parseConfig(process.env)
const { storage, secret } = await openStore(config)
const { appContext } = await createApp(storage, config, secret, openLog('silent'))
const { files } = appContext
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
appContext.registry.clear()
const server = createHttpServer({ ...appContext, files: late }, routes)
await server.listen({ host: config.host, port: config.port })
