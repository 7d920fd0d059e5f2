import { openLog } from '#http/log.ts'
import { type Config, configFrom, Misconfigured } from './config.ts'
import { partNamed } from './part.ts'
import { isOneOfSeveral, keepRunning } from './processes.ts'
import { run } from './run.ts'

/** sysexits.h: the configuration is wrong; the system failed. */
const EX_CONFIG = 78
const EX_OSERR = 71

const part = partNamed(process.argv[2]) ?? wrong('Say serve, work, or nothing for both.')
const config = settings()
if (!config.databaseUrl && !(part.serves && part.works)) {
  wrong('A process that only serves or only works needs DOCKET_DATABASE_URL.')
}
const log = openLog(levelOf(config), 2)
process.on('uncaughtException', fail).on('unhandledRejection', fail)
if (config.processes > 1 && !isOneOfSeveral()) {
  keepRunning({ count: config.processes, log })
} else await run(part, config, log, fail)

function settings(): Config {
  try {
    return configFrom(process.env)
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    for (const mistake of error.mistakes) console.error(mistake)
    process.exit(EX_CONFIG)
  }
}

function wrong(why: string): never {
  console.error(why)
  process.exit(EX_CONFIG)
}

/** On a terminal a line for each request would only be in the way. */
function levelOf({ logLevel }: Config) {
  if (logLevel !== 'auto') return logLevel
  return process.stderr.isTTY ? 'warn' : 'info'
}

/** After what nobody foresaw, or a disk that fails, only a new start is safe. */
function fail(error: unknown): never {
  log.fatal({ err: error }, 'Docket ends, so that it can start anew')
  log.flushNow()
  process.exit(EX_OSERR)
}
