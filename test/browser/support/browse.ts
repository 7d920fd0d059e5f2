import { test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import type { Role } from '#core/actor.ts'
import { artifactsOf } from '../../support/artifacts.ts'
import { atRunEnd } from '../../support/endings.ts'
import { launch } from './chromium.ts'
import { type Docket, docketFor, endDockets, type Wanted } from './docket.ts'
import { keepPages, record } from './evidence.ts'
import { CONDITION_TIMEOUT_MS } from './expect.ts'
import { type Guard, guardOf } from './guard.ts'
import { cookieOf, newTeam, type Team } from './team.ts'

/** What a browser test works with, also on an installation in which nobody is yet. */
export interface Bare {
  docket: Docket
  /** A page in a new browser profile of somebody who is not signed in; nothing is opened yet. */
  visitor(options?: BrowserContextOptions): Promise<Page>
  allow: Guard['allow']
}

export interface Scene extends Bare {
  /** A workspace that nobody else uses. */
  team: Team
  /** A page in a new profile in which this person is signed in. */
  as(role: Role, options?: BrowserContextOptions): Promise<Page>
  /** `ask('owner', 'POST /api/v1/tasks', body)`: the record of the reply, or an error. */
  ask<T = Record<string, unknown>>(role: Role, address: string, body?: object): Promise<T>
}

/** Upper bounds: of a test, and of what is done after one that has failed. */
const TEST_TIMEOUT_MS = 180_000
const EVIDENCE_TIMEOUT_MS = 60_000

let browser: Promise<Browser> | undefined

/** Gives the one browser of this process; another one after it has crashed. */
async function openBrowser(): Promise<Browser> {
  if (browser && !(await browser).isConnected()) browser = undefined
  browser ??= launch()
  return browser
}

/** Ends the browser and the servers; after tests of `browse` it happens by itself. */
export async function finish(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
  await endDockets()
}

/**
 * A test in a real browser against a real server. It fails on what its pages do behind its back too:
 * see `guardOf`. One that fails leaves its pages, what was done in them, their console and the log of the server:
 * see `artifactsOf`.
 */
export function browse(name: string, work: Work<Scene>): void
export function browse(name: string, wanted: Wanted, work: Work<Scene>): void
export function browse(name: string, ...rest: [Work<Scene>] | [Wanted, Work<Scene>]): void {
  const [wanted, work] = rest.length === 1 ? [{}, rest[0]] : rest
  tested(name, wanted, async (stage) => work(await peopled(stage)))
}

/** The same on a server of its own, where nobody has an account. */
export const browseEmpty = (name: string, wanted: Omit<Wanted, 'alone'>, work: Work<Bare>): void =>
  tested(name, { ...wanted, alone: true }, ({ bare }) => work(bare))

type Work<S> = (scene: S) => Promise<void>

let isEndingKnown = false

function tested(name: string, wanted: Wanted, work: Work<Stage>): void {
  if (!isEndingKnown) atRunEnd(finish)
  isEndingKnown = true
  test(name, { timeout: TEST_TIMEOUT_MS + EVIDENCE_TIMEOUT_MS }, async (t) => {
    const docket = await docketFor(wanted)
    const position = docket.log.position()
    const stage = await stageOn(docket, record)
    const artifacts = artifactsOf(t)
    const { contexts, guard } = stage
    const failure = await failureOf(work(stage))
    const hasFailed = failure !== undefined || guard.complaints().length > 0
    if (hasFailed) await keepPages(artifacts, contexts)
    for (const context of contexts) await context.close()
    const complaints = guard.complaints()
    if (hasFailed || complaints.length > 0) {
      artifacts.write('console.txt', guard.lines().join('\n'))
      artifacts.write('server.log', await docket.log.since(position))
    }
    if (wanted.alone) await docket.remove()
    for (const line of complaints) t.diagnostic(line)
    if (failure) throw failure.reason
    if (complaints.length > 0) throw new Error(`Behind the back of it:\n${complaints.join('\n')}`)
  })
}

/** How a test failed, also that it does not end: then its pages are closed before another test begins. */
async function failureOf(work: Promise<void>): Promise<{ reason: unknown } | undefined> {
  const ending = Promise.withResolvers<never>()
  const late = new Error(`The test has not ended after ${TEST_TIMEOUT_MS / 1_000} s`)
  const timer = setTimeout(() => ending.reject(late), TEST_TIMEOUT_MS)
  try {
    await Promise.race([work, ending.promise])
    return undefined
  } catch (reason) {
    return { reason }
  } finally {
    clearTimeout(timer)
  }
}

interface Stage {
  bare: Bare
  contexts: BrowserContext[]
  guard: Guard
}

/** A measurement is not recorded: that would be measured, too. */
async function stageOn(
  docket: Docket,
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<Stage> {
  const chromium = await openBrowser()
  const guard = guardOf(docket.url)
  const contexts: BrowserContext[] = []
  const visitor = async (options: BrowserContextOptions = {}) => {
    // A worker's requests are not seen by routes of a test: who tests it asks for it.
    const usual = { locale: 'en-GB', serviceWorkers: 'block' } as const
    const context = await chromium.newContext({ baseURL: docket.url, ...usual, ...options })
    contexts.push(context)
    context.setDefaultTimeout(CONDITION_TIMEOUT_MS)
    await prepare(context)
    await guard.watch(context)
    return context.newPage()
  }
  return { bare: { docket, visitor, allow: guard.allow }, contexts, guard }
}

async function peopled({ bare }: Stage): Promise<Scene> {
  const { docket, visitor } = bare
  const team = await newTeam(docket)
  return {
    ...bare,
    team,
    async as(role, options = {}) {
      const page = await visitor(options)
      await page.context().addCookies([await cookieOf(docket, team, role)])
      return page
    },
    ask: (role, address, body) => asked(docket, team.people[role].key, address, body),
  }
}

/** A scene on a server, for what is no test of `browse`: pictures, measurements. */
export async function sceneOn(docket: Docket) {
  const stage = await stageOn(docket)
  return { scene: await peopled(stage), contexts: stage.contexts, guard: stage.guard }
}

async function asked<T>({ url }: Docket, key: string, address: string, body?: object): Promise<T> {
  const [method = 'GET', path] = address.split(' ')
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${address}: ${reply.status} ${text}`)
  return (text === '' ? {} : JSON.parse(text)) as T
}
