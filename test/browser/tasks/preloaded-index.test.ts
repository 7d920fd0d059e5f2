import assert from 'node:assert/strict'
import type { Response } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { joinSecondWorkspace } from '../support/second-workspace.ts'
import { seedTasks } from '../support/seed.ts'

browserTest(
  'a list shows the tasks that its page has preloaded, if they are its own',
  // A server that has watched other pages would find that the test has written into its database.
  { hasOwnServer: true },
  async (fixture) => {
    const { as, docket, team } = fixture
    await seedTasks(fixture, 3, (n) => ({ title: `Of the first ${n}` }))
    const other = await joinSecondWorkspace(docket, team.people.member.id)
    const page = await as('member')
    const row = page.getByText('Of the first 2')
    const indexes: string[] = []
    page.on('request', (request) => {
      const [, project] = request.url().match(/projects\/([^/]+)\/index/) ?? []
      if (project) indexes.push(project)
    })
    let boot: Response | undefined
    page.on('response', (reply) => {
      if (reply.url().endsWith('/internal/boot')) boot = reply
    })
    /** Opens a list; live updates have to go on from the notice of its own workspace. */
    const openList = async (prefix: string) => {
      const live = page.waitForRequest('**/internal/live?*')
      await page.goto(`/w/${team.workspace}/p/${prefix}`)
      await expect(row).toBeVisible()
      const after = new URL((await live).url()).searchParams.get('after')
      assert.ok(boot)
      assert.equal(after, (await boot.json()).notice)
    }
    await openList('eng')
    assert.deepEqual(indexes.splice(0), ['eng'])

    await page.goto(`/w/${other.workspace}/my`)
    await expect(page.getByText('No tasks assigned to you.')).toBeVisible()
    const created = await page.request.post('/internal/projects', {
      headers: { origin: docket.url },
      data: { name: 'Of the other', prefix: 'ENG' },
    })
    assert.equal(created.status(), 201)
    // The session switches only after the page was loaded.
    await openList('ENG')
    assert.deepEqual(indexes.splice(0), ['ENG', team.project])

    await page.goto(`/w/${team.workspace}/p/ENG?group=priority`)
    await expect(row).toBeVisible()
    assert.deepEqual(indexes, [team.project])
  },
)

browserTest(
  'a list does not show the tasks of another project that its page has preloaded',
  async (fixture) => {
    const { as, docket, team } = fixture
    await seedTasks(fixture, 1, () => ({ title: 'Of the first' }))
    const page = await as('owner')
    const renamed = await page.request.patch(`/internal/projects/${team.project}`, {
      headers: { origin: docket.url },
      data: { prefix: 'NEW' },
    })
    assert.equal(renamed.status(), 200)
    // The server still knows the prefix; the app shows what projects are called now.
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('ENG')
    const ownIndex = page.waitForRequest(`**/projects/${team.hidden}/index?*&rows=40`)
    await page.getByRole('navigation').locator('a[href$="/p/HID"]').click()
    await ownIndex
    await expect(page.getByText('No tasks yet. Create one, or press C.')).toBeVisible()
    await expect(page.getByText('Of the first')).toBeHidden()
  },
)
