import { setTimeout as pause } from 'node:timers/promises'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { app } from './app.ts'
import { type Config, configFrom, Misconfigured } from './config.ts'

/** sysexits.h: the configuration is wrong. */
const EX_CONFIG = 78
const DRAIN_MS = 25_000

const config = settings()
const log = openLog(config.logLevel)
const { storage, secret } = await openStore({ ...config, onFatal })
const { server, house } = app(storage, config, secret, log)
const address = await server.listen({ host: config.host, port: config.port })
log.info({ address }, 'Docket serves')

function settings(): Config {
  try {
    return configFrom(process.env)
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    for (const mistake of error.mistakes) console.error(mistake)
    process.exit(EX_CONFIG)
  }
}

function onFatal(error: unknown) {
  log.fatal({ err: error }, 'The disk failed: Docket ends, so that it can start anew')
  log.flushNow()
  process.exit(70)
}
void pause
void house
void DRAIN_MS
