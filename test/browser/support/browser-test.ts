import { test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import type { Role } from '#wire/rights.ts'
import { createTestArtifacts } from '../../support/runner/artifacts.ts'
import { afterRun } from '../../support/runner/cleanup.ts'
import { launchChromium } from './chromium.ts'
import { CONDITION_TIMEOUT_MS } from './expect.ts'
import { discardPageTraces, savePageArtifacts, startPageTracing } from './page-artifacts.ts'
import { createPageGuard, type PageGuard } from './page-guard.ts'
import { createSessionCookie, createTeam, type Team } from './team.ts'
import {
  getTestServer,
  stopTestServers,
  type TestServer,
  type TestServerOptions,
} from './test-server.ts'

export { expect } from './expect.ts'

/** The fixture of a test on a server without any account. */
export interface EmptyServerFixture {
  docket: TestServer
  /** A blank page in a new browser profile that is not signed in. */
  visitor(options?: BrowserContextOptions): Promise<Page>
  allow: PageGuard['allow']
}

/** The fixture of a test with a workspace of its own. */
export interface BrowserFixture extends EmptyServerFixture {
  /** The workspace of this test, with a person of each role. */
  team: Team
  /** A blank page in a new browser profile in which the person of this role is signed in. */
  as(role: Role, options?: BrowserContextOptions): Promise<Page>
  /** Such a page at an address of the workspace, such as `p/ENG`. */
  openAs(role: Role, address: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * Calls the API and returns the body: `ask('owner', 'POST /api/v1/tasks', body)`. Fails on
   * errors.
   */
  ask<T = Record<string, unknown>>(role: Role, address: string, body?: object): Promise<T>
  /** The records of a list, as the owner reads them: `list<Tag>('GET /api/v1/…/tags')`. */
  list<T = unknown>(address: string): Promise<T[]>
}

/** Upper bounds of a test, and of saving the artifacts after a failure. */
const TEST_TIMEOUT_MS = 300_000
const EVIDENCE_TIMEOUT_MS = 60_000

let browser: Promise<Browser> | undefined

/** Returns the browser of this process, and starts another one after a crash. */
async function openBrowser(): Promise<Browser> {
  if (browser && !(await browser).isConnected()) browser = undefined
  browser ??= launchChromium()
  return browser
}

/** Closes the browser and the servers; `browserTest` does so by itself at the end of the run. */
export async function closeBrowserAndServers(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
  await stopTestServers()
}

/**
 * A test in a real browser against a real server. It also fails on console errors, policy
 * violations and foreign requests of its pages (`createPageGuard`). A failed test leaves screenshots,
 * traces, the console and the log of the server (`savePageArtifacts`).
 */
export function browserTest(name: string, work: TestBody<BrowserFixture>): void
export function browserTest(
  name: string,
  options: TestServerOptions,
  work: TestBody<BrowserFixture>,
): void
export function browserTest(
  name: string,
  ...rest: [TestBody<BrowserFixture>] | [TestServerOptions, TestBody<BrowserFixture>]
): void {
  const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest
  registerTest(name, options, async (stage) => work(await withTeam(stage)))
}

/** A browser test on a server of its own, where nobody has an account. */
export const browserTestWithoutAccounts = (
  name: string,
  options: Omit<TestServerOptions, 'hasOwnServer'>,
  work: TestBody<EmptyServerFixture>,
): void => registerTest(name, { ...options, hasOwnServer: true }, ({ bare }) => work(bare))

type TestBody<F> = (fixture: F) => Promise<void>

let isEndRegistered = false

function registerTest(
  name: string,
  options: TestServerOptions,
  work: TestBody<BrowserStage>,
): void {
  if (!isEndRegistered) afterRun(closeBrowserAndServers)
  isEndRegistered = true
  test(name, { timeout: TEST_TIMEOUT_MS + EVIDENCE_TIMEOUT_MS }, async (t) => {
    const docket = await getTestServer(options)
    const position = docket.log.position()
    const stage = await openStage(docket, startPageTracing)
    const artifacts = createTestArtifacts(t)
    const { contexts, guard } = stage
    const failure = await failureOf(work(stage))
    const hasFailed = failure !== undefined || guard.violations().length > 0
    if (hasFailed) await savePageArtifacts(artifacts, contexts)
    else await discardPageTraces(contexts)
    for (const context of contexts) {
      // A handler may still be asking the server for a reply that no page needs any more.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    }
    const complaints = guard.violations()
    if (hasFailed || complaints.length > 0) {
      artifacts.write('console.txt', guard.lines().join('\n'))
      artifacts.write('server.log', await docket.log.since(position))
    }
    if (options.hasOwnServer) await docket.remove()
    for (const line of complaints) t.diagnostic(line)
    if (failure) throw failure.reason
    if (complaints.length > 0) throw new Error(`Behind the back of it:\n${complaints.join('\n')}`)
  })
}

/** The failure of a test, also if it hangs: its pages are closed before another test begins. */
async function failureOf(work: Promise<void>): Promise<{ reason: unknown } | undefined> {
  const ending = Promise.withResolvers<never>()
  const timeout = new Error(`The test has not ended after ${TEST_TIMEOUT_MS / 1_000} s`)
  const timer = setTimeout(() => ending.reject(timeout), TEST_TIMEOUT_MS)
  try {
    await Promise.race([work, ending.promise])
    return undefined
  } catch (reason) {
    return { reason }
  } finally {
    clearTimeout(timer)
  }
}

interface BrowserStage {
  bare: EmptyServerFixture
  contexts: BrowserContext[]
  guard: PageGuard
}

/** Without `prepare` nothing is recorded, since recording would distort measurements. */
async function openStage(
  docket: TestServer,
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<BrowserStage> {
  const chromium = await openBrowser()
  const guard = createPageGuard(docket.url)
  const contexts: BrowserContext[] = []
  const visitor = async (options: BrowserContextOptions = {}) => {
    // Playwright routes do not see requests of a service worker: tests of it enable it.
    const defaults = { locale: 'en-GB', serviceWorkers: 'block' } as const
    const context = await chromium.newContext({ baseURL: docket.url, ...defaults, ...options })
    contexts.push(context)
    context.setDefaultTimeout(CONDITION_TIMEOUT_MS)
    await prepare(context)
    await guard.watch(context)
    return context.newPage()
  }
  return { bare: { docket, visitor, allow: guard.allow }, contexts, guard }
}

async function withTeam({ bare }: BrowserStage): Promise<BrowserFixture> {
  const { docket, visitor } = bare
  const team = await createTeam(docket)
  const as: BrowserFixture['as'] = async (role, options) => {
    const page = await visitor(options)
    await page.context().addCookies([await createSessionCookie(docket, team, role)])
    return page
  }
  return {
    ...bare,
    team,
    as,
    async openAs(role, address, options) {
      const page = await as(role, options)
      await page.goto(`/w/${team.workspace}/${address}`)
      return page
    },
    ask: (role, address, body) => callApi(docket, team.people[role].key, address, body),
    list: async <T>(address: string) =>
      (await callApi<{ data: T[] }>(docket, team.people.owner.key, address)).data,
  }
}

/** A fixture outside of `browserTest`; its user closes the contexts and checks the guard. */
interface FixtureHandle {
  fixture: BrowserFixture
  contexts: BrowserContext[]
  guard: PageGuard
}

/** Opens a fixture outside of `browserTest`, for screenshots and measurements. */
export async function openBrowserFixture(docket: TestServer): Promise<FixtureHandle> {
  const stage = await openStage(docket)
  return { fixture: await withTeam(stage), contexts: stage.contexts, guard: stage.guard }
}

async function callApi<T>(
  { url }: TestServer,
  key: string,
  address: string,
  body?: object,
): Promise<T> {
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
