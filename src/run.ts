import { exporting } from '#archive/background.ts'
import { UNTRACED } from '#core/traces.ts'
import { homeOf } from '#delivery/home.ts'
import { isFirstStart } from '#demo/first-start.ts'
import { makeDemo } from '#demo/make.ts'
import { welcomeText } from '#demo/welcome.ts'
import { VERSION } from '#http/figures.ts'
import type { Log } from '#http/log.ts'
import { importing } from '#importing/chores.ts'
import { isTimezone } from '#lib/days.ts'
import type { Held } from '#storage/data-dir.ts'
import { type Opened, openStore } from '#storage/open.ts'
import type { OpenTraces } from '#traces/open.ts'
import { startChores } from '#upkeep/chores.ts'
import { writeRequests } from '#upkeep/requests.ts'
import { app } from './app.ts'
import { exiting, holdOrExit, holdWritingOrExit } from './beginning.ts'
import type { Config } from './config.ts'
import { startDelivering } from './delivering.ts'
import type { Part } from './part.ts'
import { figuresOfAll, isOneOfSeveral, sayReady, speaks } from './processes.ts'
import { handCounts, openReading, type Writer } from './reading.ts'
import { stop } from './stop.ts'
import { openWriting } from './writing.ts'

/** Runs one process of Docket until it is told to stop; a start that cannot be ends it with a sentence. */
export async function run(
  part: Part,
  config: Config,
  log: Log,
  fail: (error: unknown) => never,
): Promise<void> {
  const exit = exiting(config)
  const { onlyReads = false } = part
  const oneWrites = isOneOfSeveral() && config.databaseUrl === undefined
  const held = await hold()
  const opening = onlyReads ? openReading(config) : open()
  const { storage: opened, secret, writer } = await opening.catch(exit)
  const traces = await tracesOf(config, log)
  const storage = traces ? traces.traced(opened) : opened
  const wired = await app(storage, config, secret, log, part, { writer, traces })
  const { server, house, usage, mail, counter } = wired
  traces?.register(house.registry)
  if (isOneOfSeveral()) house.figures = figuresOfAll(house.registry)
  house.starting = true
  // A new database is at home here before anybody can put a webhook into it.
  if (!onlyReads) await homeOf(storage, config.dataDir).whyNot().catch(exit)
  const welcome = onlyReads ? undefined : await demo().catch(exit)
  const address = await server.listen({ host: config.host, port: config.port }).catch(exit)
  const lent = { storage, server, counter, registry: house.registry }
  const hall =
    oneWrites && !onlyReads ? await openWriting(config.dataDir, lent).catch(exit) : undefined
  const delivering = part.works
    ? await startDelivering(storage, config, secret, house).catch(exit)
    : undefined
  const { authenticator, files } = house
  const keepCounts = writer ? handCounts(writer, usage) : writeRequests(storage, usage)
  const others = [...importing({ storage, files }), ...exporting({ storage, files, log })]
  const means = { storage, files, mail, config, log, authenticator, keepCounts, part, others }
  const chores = startChores({ ...means, traces: traces ?? UNTRACED })
  house.starting = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
  const does = part.serves ? 'serves' : 'works'
  log.info({ address, engine: storage.engine }, `Docket ${does}`)
  if (speaks()) console.log(`Docket ${does} at ${address}`)
  if (welcome !== undefined) console.log(welcome)
  sayReady()

  async function hold(): Promise<Held | undefined> {
    if (config.databaseUrl || onlyReads) return undefined
    return oneWrites ? holdWritingOrExit(config) : holdOrExit(config)
  }

  async function open(): Promise<Opened & { writer?: Writer }> {
    const told = (what: string, figures: object) => log.warn(figures, what)
    return openStore({ ...config, onFatal: fail, told, isServing: true })
  }

  /** On the very first start there is something to look at, and somebody to sign in as. */
  async function demo(): Promise<string | undefined> {
    if (!(await isFirstStart(storage)) || !config.demo) return undefined
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const timezone = isTimezone(timeZone) ? timeZone : 'UTC'
    const made = await makeDemo(storage, { plan: config.defaultPlan, timezone })
    return welcomeText(config.baseUrl, made)
  }

  async function onSignal(signal: NodeJS.Signals): Promise<void> {
    if (house.drain.draining) {
      // A terminal tells all processes, and the one that keeps them running tells them once more.
      if (isOneOfSeveral()) return
      process.exit(1)
    }
    log.info({ signal }, 'Docket stops')
    await stop({ drain: house.drain, drainSeconds: config.drainSeconds, server, beside, end })
    log.info('Docket has stopped')
    log.flushNow()
    process.exit(0)
  }

  async function beside(): Promise<void> {
    // What the others still hand over is done, too.
    await Promise.all([delivering?.stop(), chores.stop(), hall?.close()])
  }

  async function end(): Promise<void> {
    await files.close()
    await Promise.all([mail?.close(), traces?.close()])
    await authenticator.flush().catch((err) => log.error({ err }, 'Last uses are not written'))
    await writeCounts().catch((err) => log.error({ err }, 'Counts are not written'))
    writer?.close()
    await storage.close()
    held?.release()
  }

  async function writeCounts(): Promise<void> {
    while (await keepCounts());
  }
}

/** What takes traces is loaded only where they are wanted. */
async function tracesOf({ traces }: Config, log: Log): Promise<OpenTraces | undefined> {
  if (!traces) return undefined
  const { openTraces } = await import('#traces/open.ts')
  return openTraces(traces, VERSION, log)
}
