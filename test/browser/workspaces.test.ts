import assert from 'node:assert/strict'
import { expect } from '@playwright/test'
import { browse } from './support/browse.ts'
import { joinedTo } from './support/second.ts'
import { seedTasks, signIn } from './support/seed.ts'

browse('a tab neither reads nor writes in the workspace of another tab', async (scene) => {
  const { as, team, ask, docket } = scene
  const [task] = await seedTasks(scene, 1, (_, { people }) => ({
    title: 'Of the first',
    assignee_ids: [people.member.id],
  }))
  const other = await joinedTo(docket, team.people.member.id)
  const first = await as('member')
  await first.goto(`/w/${team.workspace}/my`)
  const row = first.getByRole('listitem').filter({ hasText: 'Of the first' })
  await expect(row).toBeVisible()

  // The address of the other workspace switches the session; the first tab says so.
  const second = await first.context().newPage()
  await second.goto(`/w/${other.workspace}/my`)
  await expect(second.getByText('Nothing is assigned to you.')).toBeVisible()
  await expect(second.getByText('Of the first')).toHaveCount(0)
  const bar = first.getByText('Another tab has switched to The other')
  await expect(bar).toBeVisible()

  const asked: string[] = []
  first.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
  await row.getByRole('button', { name: /Complete or reopen/ }).click()
  await first.getByRole('button', { name: 'Created' }).click()
  await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Of the first, renamed' })
  await first.evaluate(() => new Promise((done) => setTimeout(done, 600)))
  assert.deepEqual(asked, [], 'it spoke in the session of another workspace')

  // Another field was changed meanwhile: asked for again, and sent on top of it.
  scene.allow(412)
  // Back: what was meant goes out now, and what was missed is there.
  await first.getByRole('button', { name: 'Switch back' }).click()
  await expect(bar).toBeHidden()
  await expect
    .poll(async () => (await ask<Task>('owner', `GET /api/v1/tasks/${task?.id}`)).status_category)
    .toBe('completed')
  await expect(second.getByText('Another tab has switched to Test')).toBeVisible()
  await first.getByRole('button', { name: 'Done', exact: true }).click()
  await expect(first.getByText('Of the first, renamed')).toBeVisible()

  // A page that has shown one workspace is loaded anew for another one.
  await first.getByRole('button', { name: /Switch workspace/ }).click()
  await first.getByRole('menuitemcheckbox', { name: 'The other' }).click()
  await first.waitForURL(`**/w/${other.workspace}/my`)
  await expect(first.getByText('Nothing is assigned to you.')).toBeVisible()

  scene.allow(404, /There is no such record/)
  await second.goto(`/w/wsp_${'0'.repeat(26)}/my`)
  await expect(second.getByRole('heading', { name: 'This page cannot be shown' })).toBeVisible()
})

browse('what one person has written never goes out under the name of another', async (scene) => {
  const { as, team, ask, allow } = scene
  const [task] = await seedTasks(scene, 1, (_, { people }) => ({
    title: 'Mine',
    assignee_ids: [people.member.id],
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  const row = page.getByRole('listitem').filter({ hasText: 'Mine' })
  await expect(row).toBeVisible()
  await page.context().clearCookies()
  allow(401)
  await row.getByRole('button', { name: /Complete or reopen/ }).click()
  await expect(page.getByRole('dialog')).toBeVisible()

  const second = await page.context().newPage()
  await signIn(second, team.people.owner)
  const before = (await ask<Task>('owner', `GET /api/v1/tasks/${task?.id}`)).version
  await second.evaluate(() => new Promise((done) => setTimeout(done, 600)))
  assert.equal((await ask<Task>('owner', `GET /api/v1/tasks/${task?.id}`)).version, before)

  // The same person again: it goes out, once, as theirs.
  const password = page.getByRole('dialog').getByLabel('Password', { exact: true })
  await password.fill(team.people.member.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect
    .poll(async () => (await ask<Task>('owner', `GET /api/v1/tasks/${task?.id}`)).completed_by_id)
    .toBe(team.people.member.id)
  await expect(second.getByText('The member has signed in in another tab')).toBeVisible()
})

interface Task {
  version: number
  status_category: string
  completed_by_id: string | null
}
