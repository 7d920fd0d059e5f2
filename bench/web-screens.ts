import type { Page } from '@playwright/test'
import type { Scene } from '../test/browser/support/browse.ts'
import { seedTasks, taskOf } from '../test/browser/support/seed.ts'
import { median, tell } from './figures.ts'
import { framesDuring, type Measured, type Seen, slowPage } from './web-page.ts'

/** A screen beside the list: where it is, when it stands, and by which keys it is used. */
interface Screen {
  name: string
  path: string
  /** What is there once the screen shows what it is for. */
  stands: string
  keys: readonly string[]
}

const NOTICES = 200
const RUNS = 5
const SETTLED_MS = 1_000
const SHORTEST_MS = 16
const DOWN_AND_UP = [...many('j', 12), ...many('k', 6), 'x', 'j', 'x', 'Escape']

const SCREENS: readonly Screen[] = [
  { name: 'my work', path: '/my', stands: '.my .row', keys: DOWN_AND_UP },
  {
    name: 'inbox',
    path: '/inbox',
    stands: '.inbox .row',
    keys: [...many('j', 12), ...many('k', 6), 'u', 'j', 'u'],
  },
  {
    name: 'timeline',
    path: '/p/ENG?view=timeline',
    stands: '.plan-span',
    keys: [...many('j', 12), ...many('k', 6), '-', '+'],
  },
  {
    name: 'calendar',
    path: '/p/ENG?view=calendar',
    stands: '[role="grid"] [data-number]',
    keys: [...many('ArrowDown', 4), ...many('ArrowRight', 6), ...many('ArrowUp', 4)],
  },
  {
    name: 'reports',
    path: '/reports',
    stands: '.report h2',
    keys: [...many('Tab', 6), ...many('ArrowRight', 8), ...many('ArrowLeft', 4)],
  },
]

/** What the screens beside the list take of the same budget, each by itself, over the same 10,000 tasks. */
export async function measureScreens(scene: Scene): Promise<void> {
  await notices(scene)
  for (const screen of SCREENS) {
    const path = `/w/${scene.team.workspace}${screen.path}`
    await load(scene, screen, path)
    await use(scene, screen, path)
  }
}

/** Somebody else gives the owner tasks: the inbox has something to show. */
async function notices({ ask, team }: Scene): Promise<void> {
  const assign = (n: number) => ({ ...taskOf(n, team), assignee_ids: [team.people.owner.id] })
  const asAdmin: Scene['ask'] = (_, ...asked) => ask('admin', ...asked)
  await seedTasks({ ask: asAdmin, team }, NOTICES, assign)
}

async function load(scene: Scene, { name, stands }: Screen, path: string): Promise<void> {
  const [cold, warm]: [Seen[], Seen[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    const { page, seen } = await slowPage(scene, { network: true })
    for (const kept of [cold, warm]) {
      await page.goto(path)
      await page.locator(stands).first().waitFor()
      await page.waitForTimeout(SETTLED_MS)
      kept.push(await seen())
    }
    await page.context().close()
  }
  const middle = (seen: Seen[], what: 'lcp' | 'cls' | 'blocked') =>
    median(seen.map((one) => one[what]))
  tell(`${name}: largest paint, cold, seconds`, middle(cold, 'lcp') / 1_000, { most: 2 })
  tell(`${name}: largest paint, warm, seconds`, middle(warm, 'lcp') / 1_000, { most: 0.8 })
  tell(`${name}: layout shift`, middle(cold, 'cls'), { most: 0.02 })
  tell(`${name}: blocked by long tasks, ms`, middle(cold, 'blocked'), { most: 200 })
}

async function use(scene: Scene, { name, stands, keys }: Screen, path: string): Promise<void> {
  const measured = await slowPage(scene)
  const { page } = measured
  await page.goto(path)
  await page.locator(stands).first().waitFor()
  await page.waitForTimeout(SETTLED_MS)
  const scrolled = await framesDuring(page, () => scroll(measured))
  tell(`${name}: longest frame while scrolling, ms`, scrolled.longest, { most: 34 })
  tell(`${name}: nodes in the document`, await nodesOf(page), { most: 3_000 })
  const before = (await measured.seen()).inputs.length
  await page.locator('#work').click({ position: { x: 4, y: 4 } })
  for (const key of keys) await page.keyboard.press(key)
  await page.waitForTimeout(SETTLED_MS)
  const inputs = (await measured.seen()).inputs.slice(before)
  // Those that Chromium does not tell of were shorter.
  const all = [...inputs, ...many(SHORTEST_MS, Math.max(0, keys.length - inputs.length))]
  const p75 = all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.75)] ?? SHORTEST_MS
  tell(`${name}: from input to picture, 3 of 4 inputs, ms`, p75, { most: 100 })
  await page.context().close()
}

async function scroll({ page }: Measured): Promise<void> {
  await page.mouse.move(900, 600)
  for (let step = 0; step < 60; step++) await page.mouse.wheel(0, step < 40 ? 300 : -300)
}

const nodesOf = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

function many<T>(one: T, count: number): T[] {
  return Array.from({ length: count }, () => one)
}
