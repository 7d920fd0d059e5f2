import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { seedTasks } from '../support/seed.ts'

const CHANGED_MEANWHILE = /^Someone else changed this in the meantime/

browserTest('removing a status hides no later change of another person', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  await seedTasks(fixture, 1, () => ({ title: 'Look at it', status: 'in_review' }))
  const [owner, admin] = [await as('owner'), await as('admin')]
  for (const page of [owner, admin])
    await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=statuses`)
  await owner.getByLabel('Name of Backlog').fill('Ideas')
  await admin.getByLabel('Name of To do').fill('Open')
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByText('Saved', { exact: true })).toBeVisible()
  // The page that counts this later task has heard of the other change, too.
  await seedTasks(fixture, 1, () => ({ title: 'Look at it, too', status: 'in_review' }))
  const row = owner.getByRole('listitem').filter({ has: owner.getByLabel('Name of In review') })
  await expect(row).toContainText('2 tasks')
  await owner.getByRole('button', { name: 'Remove In review' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Move tasks out of In review?' })
  await expect(dialog.getByRole('option', { name: 'Open', exact: true })).toBeAttached()
  await dialog.getByRole('button', { name: 'Move and remove' }).click()
  await expect(dialog).toBeHidden()
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText(CHANGED_MEANWHILE)).toBeVisible()
  const { statuses } = await ask<{ statuses: { name: string }[] }>(
    'owner',
    `GET /api/v1/projects/${team.project}`,
  )
  expect(statuses.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Backlog', 'Open', 'In progress']),
  )
})

/** Opens the tags of the project, of which there is one, "ops". */
async function openTags({ as, team, ask }: BrowserFixture) {
  const tags = `POST /api/v1/projects/${team.project}/tags`
  const { id } = await ask<{ id: string }>('owner', tags, { name: 'ops' })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=tags`)
  await page.getByLabel('Rename ops').waitFor()
  return {
    page,
    rename: (name: string) => ask('owner', `PATCH /api/v1/tags/${id}`, { name }),
    readName: async () => (await ask<{ name: string }>('owner', `GET /api/v1/tags/${id}`)).name,
  }
}

browserTest('asks before the name that another person gives a tag is replaced', async (fixture) => {
  fixture.allow(412)
  const { page, rename, readName } = await openTags(fixture)
  await page.getByLabel('Rename ops').fill('operations')
  await rename('platform')
  const field = page.getByLabel('Rename platform')
  await expect(field).toHaveValue('operations')
  await field.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Someone changed it in the meantime')
  expect(await readName()).toBe('platform')
  await expect(field).toHaveValue('operations')
  await field.press('Enter')
  await expect.poll(readName).toBe('operations')
})

browserTest('shows the name that another person gives a tag', async (fixture) => {
  const { page, rename } = await openTags(fixture)
  await page.getByLabel('Rename ops').focus()
  await rename('platform')
  await expect(page.getByLabel('Rename platform')).toHaveValue('platform')
})
