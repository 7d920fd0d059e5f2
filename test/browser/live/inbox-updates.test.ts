import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { countReads, followFeed } from '../support/reads/feed-reads.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { noonToday, seedTasks } from '../support/seed.ts'
import { expectWithFastClock } from './expect-with-fast-clock.ts'

browserTest(
  'follows the deletion, restoring and renaming of what the notifications are about',
  async (fixture) => {
    const { as, team, ask } = fixture
    const { member } = team.people
    const [first, second] = await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
    const comments = `POST /api/v1/tasks/${first?.id}/comments`
    const comment = await ask<{ id: string }>('owner', comments, { body: `<@${member.id}>` })
    await ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { assignee_ids: [member.id] })
    await ask('owner', `POST /api/v1/tasks/${second?.id}/comments`, { body: `<@${member.id}>` })
    const page = await as('member')
    await page.clock.install({ time: noonToday() })
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await page.getByRole('link', { name: 'Errand 1' }).waitFor()
    await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
    const link = page.getByRole('link', { name: /^Inbox/ }).first()
    await expect(link).toHaveText(/2$/)
    await link.click()
    const rows = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
    const row = (title: string) => rows.filter({ hasText: title })
    const unread = (count: number) => link.filter({ hasText: new RegExp(`${count}$`) })
    await expect(row('Errand 2')).toBeVisible()

    const reads = countReads(page)
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Renamed while shown' })
    await expect(row('Renamed while shown')).toContainText('and 1 more')
    await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { priority: 'high' })
    await page.clock.fastForward(15_000)
    expect(reads().filter((url) => url.includes('/counts'))).toEqual([])

    await ask('owner', `DELETE /api/v1/comments/${comment.id}`)
    await expect(row('Renamed while shown')).not.toContainText('and 1 more')
    await expectWithFastClock(page, unread(2))
    await ask('admin', `DELETE /api/v1/tasks/${second?.id}`)
    await expect(row('Errand 2')).toHaveCount(0)
    await expectWithFastClock(page, unread(1))
    await ask('admin', `POST /api/v1/tasks/${second?.id}/restore`)
    await expect(row('Errand 2')).toBeVisible()
    await expectWithFastClock(page, unread(2))
  },
)

browserTest('recounts the inbox when several tasks are deleted at once', async (fixture) => {
  const { as, team, ask } = fixture
  const assignee_ids = [team.people.member.id]
  const [first] = await seedTasks(fixture, 3, (n) => ({ title: `Errand ${n + 1}`, assignee_ids }))
  const page = await as('member')
  await page.clock.install({ time: noonToday() })
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const link = page.getByRole('link', { name: /^Inbox/ }).first()
  await expect(link).toHaveText(/3$/)
  await followFeed(page, (title) => ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title }))
  await ask('admin', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Errand 1' })
  for (const title of ['Errand 1', 'Errand 2']) {
    await page.getByRole('row', { name: new RegExp(title) }).press('x')
    await expect(page.getByRole('row', { name: new RegExp(title) })).toHaveAttribute(
      'aria-selected',
      'true',
    )
  }
  const isDeleted = page.waitForResponse(/tasks\/bulk/)
  await page.keyboard.press('#')
  await isDeleted
  // Shorter than a silence after which the page connects, and reads, anew.
  await page.clock.fastForward(15_000)
  await expect(link).toHaveText(/1$/)
})

browserTest('shows a snoozed notification again when its time has come', async (fixture) => {
  const { as, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 1, () => ({ title: 'For later', assignee_ids }))
  const page = await as('member')
  await page.clock.install()
  // Live updates that connect anew after hours would read the inbox as well.
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/inbox`)
  const row = page.getByRole('listitem').filter({ hasText: 'For later' })
  const link = page.getByRole('link', { name: /^Inbox/ }).first()
  await expect(link).toHaveText(/1$/)
  await page.getByRole('button', { name: /^Snooze: / }).click()
  const isRead = page.waitForResponse(/notifications\?.*state=open/)
  await page.getByRole('menuitem', { name: /In 3 hours/ }).click()
  await isRead
  await expect(row).toHaveCount(0)
  await expect(link).toHaveText('Inbox')

  // The server, whose clock is not the page's, answers as it will then.
  await routeRequests(page, '**/internal/notifications?*', (route) =>
    route.continue({ url: route.request().url().replace('state=open', 'state=snoozed') }),
  )
  await routeRequests(page, '**/internal/counts', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ json: { ...(await reply.json()), inbox: { unread: 1 } } })
  })
  await page.clock.fastForward('02:50:00')
  await expect(page.getByText('You are all caught up.')).toBeVisible()
  await page.clock.fastForward('00:11:00')
  await expect(row).toBeVisible()
  await expect(link).toHaveText(/1$/)
})
