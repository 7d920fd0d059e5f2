import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'

/** A server that stops without finishing what it began: the experiment on draining must find it out. */
const config = configFrom(process.env)
const { storage, secret } = await openStore(config)
const { server } = await app(storage, config, secret, openLog('silent'))
await server.listen({ host: config.host, port: config.port })
process.on('SIGTERM', () => process.exit(0))
