import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { finish, type Scene, sceneOn } from './support/browse.ts'
import { docketFor } from './support/docket.ts'
import { seedTasks } from './support/seed.ts'
import { newGrant, thirdParty } from './support/third.ts'

/**
 * Pictures of every screen of a server with some work on it, at three widths and in both themes, for
 * looking at: `node test/browser/shots.ts OUT [part of a name …]`.
 */
const [out = '/tmp/docket-shots', ...parts] = process.argv.slice(2)
const SIZES = { 360: 740, 900: 800, 1440: 900 }
const THEMES = ['light', 'dark'] as const

const docket = await docketFor({})
const { scene, guard } = await sceneOn(docket)
const places = await furnished(scene)
mkdirSync(out, { recursive: true })
for (const colorScheme of THEMES) {
  for (const [width, height] of Object.entries(SIZES)) {
    const viewport = { width: Number(width), height }
    const options = { colorScheme, viewport, hasTouch: viewport.width < 600 }
    const pages = [await scene.visitor(options), await scene.as('owner', options)] as const
    for (const [name, { path, signedIn = true, open }] of Object.entries(places)) {
      if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue
      const page = pages[signedIn ? 1 : 0]
      await shot(page, path, join(out, `${name}-${width}-${colorScheme}.png`), open)
    }
  }
}
for (const line of new Set(guard.complaints())) console.log(line)
await finish()

interface Place {
  path: string
  signedIn?: boolean
  /** What is opened before the picture is taken. */
  open?: (page: Page) => Promise<unknown>
}

async function furnished(scene: Scene): Promise<Record<string, Place>> {
  const { ask, team } = scene
  const tag = { name: 'infra', color: '#0a7f5a' }
  const { id } = await ask<{ id: string }>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    tag,
  )
  const [first, second, third] = await seedTasks({ ask, team }, 60)
  if (!first || !second || !third) throw new Error('There are no tasks to look at')
  await ask('owner', `PATCH /api/v1/tasks/${first.id}`, { tag_ids: [id] })
  await ask('owner', `PATCH /api/v1/tasks/${second.id}`, { parent_id: first.id })
  await ask('owner', `PATCH /api/v1/tasks/${third.id}`, { parent_id: first.id })
  await ask('member', `POST /api/v1/tasks/${first.id}/comments`, { body: 'Seen **twice** today.' })
  await ask('owner', `POST /api/v1/tasks/${first.id}/time-entries`, { duration_seconds: 5_400 })
  const app = await thirdParty(scene, {
    description: 'Writes what the team did yesterday into one note.',
    homepage_url: 'https://notes.northlight.example',
    type: 'confidential',
  })
  await newGrant(scene, 'owner', app.id)
  await newGrant(scene, 'member', app.id)
  const inside = `/w/${team.workspace}`
  const key = (keys: string) => (page: Page) => page.keyboard.press(keys)
  return {
    start: { path: '/', signedIn: false },
    docs: { path: '/docs', signedIn: false },
    'sign-in': { path: '/sign-in', signedIn: false },
    'sign-up': { path: '/sign-up', signedIn: false },
    forgot: { path: '/forgot', signedIn: false },
    reset: { path: '/reset/unknown', signedIn: false },
    invite: { path: '/invite/unknown', signedIn: false },
    nowhere: { path: '/nowhere', signedIn: false },
    my: { path: `${inside}/my` },
    list: { path: `${inside}/p/ENG` },
    'list-by-priority': { path: `${inside}/p/ENG?group=priority` },
    board: { path: `${inside}/p/ENG?view=board` },
    'task-beside': { path: `${inside}/p/ENG?task=${first.short_id}` },
    task: { path: `${inside}/t/${first.short_id}` },
    'task-unknown': { path: `${inside}/t/ENG-9999` },
    palette: { path: `${inside}/my`, open: key('ControlOrMeta+k') },
    shortcuts: { path: `${inside}/my`, open: key('?') },
    search: { path: `${inside}/search?q=customer&project=ENG` },
    projects: { path: `${inside}/projects` },
    'project-settings': { path: `${inside}/p/ENG/settings` },
    profile: { path: `${inside}/settings/profile` },
    keys: { path: `${inside}/settings/api` },
    applications: { path: `${inside}/settings/applications` },
    'application-new': {
      path: `${inside}/settings/applications`,
      open: (page) => page.getByRole('button', { name: 'New app' }).first().click(),
    },
    'application-secret': {
      path: `${inside}/settings/applications`,
      open: async (page) => {
        await page.getByRole('button', { name: 'Rotate secret' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
      },
    },
    consent: { path: app.asks() },
    'consent-ended': { path: '/oauth/consent/unknown' },
    webhooks: { path: `${inside}/settings/webhooks` },
    members: { path: `${inside}/settings/members` },
    workspace: { path: `${inside}/settings/workspace` },
    audit: { path: `${inside}/settings/audit` },
  }
}

async function shot(page: Page, path: string, file: string, open: Place['open']): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('load')
  await page
    .getByRole('heading')
    .first()
    .waitFor({ timeout: 3_000 })
    .catch(() => undefined)
  await open?.(page)
  // Skeletons, fonts and motion are over by then; live updates keep the network busy for ever.
  await page.waitForTimeout(400)
  await page.screenshot({ path: file })
}
