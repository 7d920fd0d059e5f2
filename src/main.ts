import { mkdirSync } from 'node:fs'
import { homeOf } from '#delivery/home.ts'
import { isFirstStart } from '#demo/first-start.ts'
import { makeDemo } from '#demo/make.ts'
import { welcomeText } from '#demo/welcome.ts'
import { openLog } from '#http/log.ts'
import { isTimezone } from '#lib/days.ts'
import { damageOf, type Held, holdDataDir } from '#storage/data-dir.ts'
import { openStore } from '#storage/open.ts'
import { startChores } from '#upkeep/chores.ts'
import { writeRequests } from '#upkeep/requests.ts'
import { app } from './app.ts'
import { type Config, configFrom, Misconfigured } from './config.ts'
import { startDelivering } from './delivering.ts'
import { partNamed } from './part.ts'
import { stop } from './stop.ts'

/** sysexits.h: the configuration is wrong; the system failed. */
const EX_CONFIG = 78
const EX_OSERR = 71
/** SQLite's codes for a file that is malformed, or no database. */
const DAMAGE = new Set([11, 26])

const part = partNamed(process.argv[2]) ?? wrong('Say serve, work, or nothing for both.')
const config = settings()
const log = openLog(levelOf(config), 2)
process.on('uncaughtException', fail).on('unhandledRejection', fail)

if (!config.databaseUrl && !(part.serves && part.works)) {
  wrong(
    'A process that only serves or only works needs DOCKET_DATABASE_URL: SQLite has one process.',
  )
}
const held = config.databaseUrl ? undefined : holdOrExit(config.dataDir)
const { storage, secret } = await openStore({ ...config, onFatal: fail, isServing: true }).catch(
  exit,
)
const { server, house, usage, mail } = app(storage, config, secret, log, part)
house.starting = true
// A new database is at home here before anybody can put a webhook into it.
await homeOf(storage, config.dataDir).whyNot().catch(exit)
const welcome = await demo().catch(exit)
const address = await server.listen({ host: config.host, port: config.port }).catch(exit)
const delivering = part.works
  ? await startDelivering(storage, config, secret, house).catch(exit)
  : undefined
const { authenticator, files } = house
const chores = startChores({ storage, files, config, log, authenticator, usage, part })
house.starting = false
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
const does = part.serves ? 'serves' : 'works'
log.info({ address, engine: storage.engine }, `Docket ${does}`)
console.log(`Docket ${does} at ${address}`)
if (welcome !== undefined) console.log(welcome)

/** On the very first start there is something to look at, and somebody to sign in as. */
async function demo(): Promise<string | undefined> {
  if (!(await isFirstStart(storage)) || !config.demo) return undefined
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const timezone = isTimezone(timeZone) ? timeZone : 'UTC'
  const made = await makeDemo(storage, { plan: config.defaultPlan, timezone })
  return welcomeText(config.baseUrl, made)
}

async function onSignal(signal: NodeJS.Signals): Promise<void> {
  if (house.drain.draining) process.exit(1)
  log.info({ signal }, 'Docket stops')
  await stop({ drain: house.drain, drainSeconds: config.drainSeconds, server, beside, end })
  log.info('Docket has stopped')
  log.flushNow()
  process.exit(0)
}

async function beside(): Promise<void> {
  await Promise.all([delivering?.stop(), chores.stop()])
}

async function end(): Promise<void> {
  await files.close()
  await mail?.close()
  await authenticator.flush().catch((err) => log.error({ err }, 'Last uses are not written'))
  await writeRequests(storage, usage)().catch((err) => log.error({ err }, 'Counts are not written'))
  await storage.close()
  held?.release()
}

function wrong(why: string): never {
  console.error(why)
  process.exit(EX_CONFIG)
}

function settings(): Config {
  try {
    return configFrom(process.env)
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    for (const mistake of error.mistakes) console.error(mistake)
    process.exit(EX_CONFIG)
  }
}

/** On a terminal a line for each request would only be in the way. */
function levelOf({ logLevel }: Config) {
  if (logLevel !== 'auto') return logLevel
  return process.stderr.isTTY ? 'warn' : 'info'
}

/** One server for a directory, and none on a database that is damaged. */
function holdOrExit(dataDir: string): Held {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const held = holdDataDir(dataDir)
  if (!held)
    return exit(`Another Docket serves ${dataDir}: stop it first, or use another directory.`)
  const damage = held.stoppedUncleanly ? damageOf(dataDir) : undefined
  return damage === undefined ? held : exit(damaged(damage))
}

function damaged(how: string): string {
  return (
    `The database ${config.dataDir}/docket.db is damaged (${how}). Move docket.db, docket.db-wal and ` +
    'docket.db-shm away, put the docket.db of your last backup in their place, and start again.'
  )
}

/** A start that cannot be: said in a sentence. */
function exit(reason: unknown): never {
  console.error(reason instanceof Error ? sentenceOf(reason) : String(reason))
  process.exit(1)
}

function sentenceOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  const where = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') return `Something listens on ${where} already: set DOCKET_PORT.`
  if (code === 'EACCES') return `This user may not listen on ${where}: ${error.message}`
  const damage = 'errcode' in error && DAMAGE.has(Number(error.errcode) & 0xff)
  return damage ? damaged(error.message) : `Docket cannot start: ${error.message}`
}

/** After what nobody foresaw, or a disk that fails, only a new start is safe. */
function fail(error: unknown): never {
  log.fatal({ err: error }, 'Docket ends, so that it can start anew')
  log.flushNow()
  process.exit(EX_OSERR)
}
