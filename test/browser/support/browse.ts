import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test'
import type { Role } from '#core/actor.ts'
import { launch } from './chromium.ts'
import { type Docket, docketFor, endDockets, type Wanted } from './docket.ts'
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

const PAGE_MS = 5_000
const TEST_MS = 60_000

let browser: Promise<Browser> | undefined

/** Ends the browser and the servers; after tests of `browse` it happens by itself. */
export async function finish(): Promise<void> {
  await (await browser)?.close()
  await endDockets()
}

/**
 * A test in a real browser against a real server. It fails on what its pages do behind its back too:
 * see `guardOf`. A picture of each page is kept when it fails.
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

let ending = false

function tested(name: string, wanted: Wanted, work: Work<Stage>): void {
  if (!ending) after(finish)
  ending = true
  test(name, { timeout: TEST_MS }, async (t) => {
    const docket = await docketFor(wanted)
    const stage = await stageOn(docket)
    let failure: unknown
    try {
      await work(stage)
    } catch (error) {
      failure = error
      for (const path of await pictures(name, stage.contexts)) t.diagnostic(`picture: ${path}`)
    }
    for (const context of stage.contexts) await context.close()
    if (wanted.alone) await docket.stop('SIGKILL')
    const complaints = stage.guard.complaints()
    for (const line of complaints) t.diagnostic(line)
    if (failure) throw failure
    if (complaints.length > 0) throw new Error(`Behind the back of it:\n${complaints.join('\n')}`)
  })
}

interface Stage {
  bare: Bare
  contexts: BrowserContext[]
  guard: Guard
}

async function stageOn(docket: Docket): Promise<Stage> {
  browser ??= launch()
  const chromium = await browser
  const guard = guardOf(docket.url)
  const contexts: BrowserContext[] = []
  const visitor = async (options: BrowserContextOptions = {}) => {
    // A worker's requests are not seen by routes of a test: who tests it asks for it.
    const usual = { locale: 'en-GB', serviceWorkers: 'block' } as const
    const context = await chromium.newContext({ baseURL: docket.url, ...usual, ...options })
    contexts.push(context)
    context.setDefaultTimeout(PAGE_MS)
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

async function pictures(name: string, contexts: BrowserContext[]): Promise<string[]> {
  const folder = join(tmpdir(), 'docket-failed')
  mkdirSync(folder, { recursive: true })
  const pages = contexts.flatMap((context) => context.pages())
  const taken = pages.map(async (page, at) => {
    const path = join(folder, `${name.replace(/\W+/g, '-').slice(0, 80)}-${at}.png`)
    await page.screenshot({ path }).catch(() => undefined)
    return path
  })
  return Promise.all(taken)
}
