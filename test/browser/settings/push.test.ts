import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { seedTasks } from '../support/seed.ts'
import { ageSessions } from '../support/team.ts'

/** The browser of the tests asks nobody and has no push service: the page gets this subscription. */
const subscribeAtOnce = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Notification.requestPermission = async () => 'granted'
    PushManager.prototype.subscribe = async () =>
      ({
        toJSON: () => ({
          endpoint: 'https://push.example.com/one',
          keys: { p256dh: `B${'x'.repeat(86)}`, auth: 'x'.repeat(22) },
        }),
      }) as unknown as PushSubscription
  })

const LABEL = 'Show notifications on this device'

browserTest('turns notifications of this device on and off, with quiet hours', async (fixture) => {
  const { as, openAs, team, docket, allow } = fixture
  allow(403, 422)
  const page = await as('member', { serviceWorkers: 'allow' })
  await subscribeAtOnce(page)
  await page.goto(`/w/${team.workspace}/settings/profile`)
  const region = page.getByRole('region', { name: 'Notifications' })
  const box = region.getByRole('checkbox', { name: LABEL })
  await expect(box).not.toBeChecked()
  // As for a key, the person confirms who they are.
  await ageSessions(docket, team.people.member)
  await box.click()
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('not the password')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/is not your current password/)).toBeVisible()
  await expect(box).not.toBeChecked()
  await password.fill(team.people.member.password)
  await page.keyboard.press('Enter')
  await expect(box).toBeChecked()
  const access = page.getByRole('region', { name: 'Other access' })
  await expect(access.getByRole('row', { name: /Notifications/ })).toHaveCount(1)
  await page.reload()
  await expect(box).toBeChecked()
  await assertAccessible(page, { within: 'section[aria-label="Notifications"]' })

  const start = region.getByRole('combobox', { name: 'Quiet hours', exact: true })
  const end = region.getByRole('combobox', { name: 'Quiet hours: until' })
  await expect(start).toHaveValue('')
  await start.selectOption('22:00')
  await expect(end).toHaveValue('7')
  await end.selectOption('6:00')
  await expect(end).toHaveValue('6')
  await page.reload()
  await expect(start).toHaveValue('22')
  await expect(end).toHaveValue('6')

  // Another browser of the person sees the device, and can end it.
  const other = await openAs('member', 'settings/profile')
  const off = other.getByRole('button', { name: /^Turn off notifications on / })
  await off.click()
  await expect(off).toBeHidden()
  await page.reload()
  await expect(box).not.toBeChecked()
  await expect(access.getByRole('row', { name: /Notifications/ })).toHaveCount(0)
})

browserTest('a page in sight lets nothing be pushed while somebody is there', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Errand' }))
  const page = await as('member')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByText('Live').waitFor()
  const mention = () =>
    ask('owner', `POST /api/v1/tasks/${task?.id}/comments`, {
      body: `<@${team.people.member.id}>`,
    })
  const counted = page.waitForResponse(/\/internal\/notifications/)
  await mention()
  await counted
  const isDrop = (url: string) => url.endsWith('/internal/push/waiting')
  assert.deepEqual(requests.filter(isDrop), [], 'nobody has moved yet')
  await page.mouse.move(200, 200)
  const dropped = page.waitForResponse((response) => isDrop(response.url()))
  await mention()
  assert.equal((await dropped).status(), 204)
})
