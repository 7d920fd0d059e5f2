import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { countReads, followFeed } from '../support/reads/feed-reads.ts'
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
    await expect(link).toHaveText(/3$/)
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
