import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, openScreen, press } from '../support/page-actions.ts'
import { holdRequests } from '../support/route-requests.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

browserTest('creates a project, changes its prefix and lead, and archives it', async (fixture) => {
  const { openAs, team, allow } = fixture
  allow(409)
  await seedTasks(fixture, 4, (n) => ({ title: `Task ${n + 1}` }))
  const list = await openAs('member', 'projects')
  await expect(list.getByRole('row', { name: /^ENG/ })).toContainText('0 of 4')
  await list.getByRole('button', { name: 'New project' }).click()
  const dialog = list.getByRole('dialog', { name: 'New project' })
  await dialog.getByLabel('Name').fill('Mobile app')
  await expect(dialog.getByLabel('Prefix')).toHaveValue('MOB')
  await dialog.getByLabel('Prefix').fill('eng')
  const create = dialog.getByRole('button', { name: 'Create project' })
  await create.click()
  await expect(dialog.getByText(/Another project has the prefix ENG/)).toBeVisible()
  await expect(dialog.getByLabel('Name')).toHaveValue('Mobile app')
  await dialog.getByLabel('Prefix').fill('APP')
  await dialog.getByLabel('Statuses').selectOption('simple')
  await create.click()
  await list.waitForURL('**/p/APP')

  // Creating a project does not make its creator the lead: admins choose the lead.
  await list.getByRole('navigation').locator('a[href$="/p/ENG"]').click()
  await expect(list.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
  const page = await openAs('admin', 'p/ENG/settings')
  await page.getByLabel('Prefix').fill('MOB')
  await expect(page.getByText(/searches with ENG-1 keep working/)).toBeVisible()
  await page.getByLabel('Lead').selectOption({ label: 'The member' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/p/MOB/settings')
  await list.getByRole('navigation').locator('a[href$="/p/MOB"]').click()
  await expect(list.getByRole('link', { name: 'MOB-4', exact: true })).toBeVisible()
  await openScreen(list, `/w/${team.workspace}/p/MOB/settings`)
  await list.getByRole('button', { name: 'Archive project' }).click()
  await expect(list.getByText('Archived Engineering')).toBeVisible()
  await openScreen(list, `/w/${team.workspace}/projects`)
  await list.getByRole('button', { name: 'Archived' }).click()
  await list.getByLabel('Search projects').fill('none such')
  await list.getByRole('button', { name: 'Clear search' }).click()
  await list.getByLabel('Search projects').fill('mob')
  await expect(list.getByRole('row', { name: /^MOB/ })).toBeVisible()
})

browserTest('an archived project says why its tasks do not change', async (fixture) => {
  const { as, team } = fixture
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo', assignee_ids }))
  await archiveOpenProject(fixture)
  const page = await as('member')
  await page.clock.install()
  const message = page
    .getByRole('region', { name: 'Messages' })
    .getByText('This project is archived. Its tasks are read-only.')
  const expectRefused = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key)
      await expect(message, key).toHaveCount(1)
      // The message ends by itself after eight seconds.
      await page.clock.fastForward(10_000)
      await expect(message).toHaveCount(0)
    }
  }
  for (const [search, move] of [
    ['', 'Alt+ArrowDown'],
    ['?view=board', 'Alt+ArrowRight'],
  ] as const) {
    await page.goto(`/w/${team.workspace}/p/ENG${search}`)
    await expect(page.getByText('Archived', { exact: true })).toBeVisible()
    await page.getByText('Task 2').waitFor()
    await page.keyboard.press('j')
    await expect(page.locator('[data-number]:focus')).toHaveCount(1)
    await expectRefused('n', 'Shift+C', move, 'p', 'e', 'ControlOrMeta+Enter', '#')
    await expect(page.getByRole('combobox', { name: /^New (task|subtask)/ })).toHaveCount(0)
  }
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  await expect(page.getByText('2 without dates')).toBeVisible()
})

browserTest('adds, moves and removes statuses, and keeps those of others', async (fixture) => {
  const { openAs, team, ask, allow } = fixture
  allow(412)
  const tasks = await seedTasks(fixture, 3, () => ({ title: 'Look at it', status: 'in_review' }))
  const page = await openAs('owner', 'p/ENG/settings?tab=statuses')
  const save = page.getByRole('button', { name: 'Save' })
  const readStatuses = async () => {
    const path = `GET /api/v1/projects/${team.project}`
    const { statuses } = await ask<{ statuses: { name: string; key: string }[] }>('owner', path)
    return statuses
  }
  await page.getByRole('button', { name: 'Add status' }).click()
  await page.getByLabel('Name of New status').fill('Waiting')
  await page.getByLabel('Name of Waiting').press('Alt+ArrowUp')
  await assertAccessible(page)
  const release = await holdRequests(page, `**/internal/projects/${team.project}`)
  await save.click()
  // A name that is changed while the others are being saved stays, and is still to be saved.
  await page.getByLabel('Name of Backlog').fill('Ideas')
  release()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByText('Not saved yet')).toBeVisible()
  await page.getByRole('button', { name: 'Remove In review' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move tasks out of In review?' })
  await dialog.getByLabel('Move to').selectOption({ label: 'Waiting' })
  await dialog.getByRole('button', { name: 'Move and remove' }).click()
  await expect(page.getByLabel('Name of In review')).toHaveCount(0)
  expect(await ask('owner', `GET /api/v1/tasks/${tasks[0]?.id}`)).toMatchObject({
    status: 'waiting',
  })
  assert.ok(!(await readStatuses()).some(({ key }) => key === 'in_review'))

  // What somebody else saves meanwhile is not reverted.
  const admin = await openAs('admin', 'p/ENG/settings?tab=statuses')
  await admin.getByLabel('Name of To do').fill('Open')
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByText('Saved', { exact: true })).toBeVisible()
  await save.click()
  await expect(page.getByText(/^Someone else changed this in the meantime/)).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByLabel('Name of Open').waitFor()
  await page.getByLabel('Name of Backlog').fill('Ideas')
  await save.click()
  await expect
    .poll(async () => (await readStatuses()).map(({ name }) => name))
    .toEqual(['Ideas', 'Open', 'In progress', 'Done', 'Waiting', 'Canceled'])
})

browserTest('renames, merges, deletes and restores tags', async (fixture) => {
  const { openAs, team, ask, list, allow } = fixture
  allow(409, 412)
  const tags = `/api/v1/projects/${team.project}/tags`
  const create = (name: string) => ask<{ id: string }>('owner', `POST ${tags}`, { name })
  const [infra, ops] = [await create('infra'), await create('ops')]
  await seedTasks(fixture, 1, () => ({ title: 'Disks', tag_ids: [ops.id] }))
  const page = await openAs('member', 'p/ENG/settings?tab=tags')
  // A name that another person has given meanwhile is not replaced unasked.
  await page.getByLabel('Rename infra').fill('operations')
  await ask('owner', `PATCH /api/v1/tags/${infra.id}`, { name: 'platform' })
  const renamed = page.getByLabel('Rename platform')
  await expect(renamed).toHaveValue('operations')
  await renamed.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Someone changed it in the meantime')
  const readName = async () =>
    (await ask<{ name: string }>('owner', `GET /api/v1/tags/${infra.id}`)).name
  assert.equal(await readName(), 'platform')
  await renamed.press('Enter')
  await expect.poll(readName).toBe('operations')

  await page.getByLabel('Color of operations').selectOption({ label: 'Teal' })
  const name = page.getByLabel('Rename ops')
  await name.fill('Operations')
  await name.press('Enter')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Merge ops into operations' }).click()
  await page.getByRole('button', { name: 'Merge 1 task' }).click()
  await expect(page.getByText('Merged ops into operations')).toBeVisible()
  await expect(name).toHaveCount(0)
  expect(await ask('owner', 'GET /api/v1/tasks/ENG-1')).toMatchObject({ tag_ids: [infra.id] })
  const remove = page.getByRole('button', { name: 'Delete operations' })
  await remove.click()
  await expect(page.getByText('No tags yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await remove.click()
  await holdUndo(page)
  // By keys, since the pointer keeps the message.
  await page.getByRole('link', { name: 'People', exact: true }).press('Enter')
  await page.getByRole('link', { name: 'Tags', exact: true }).press('Enter')
  await expect(page.getByText('No tags yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Dismiss' }).last().click()
  await expect.poll(async () => (await list(`GET ${tags}`)).length).toBe(0)
})

browserTest('a private project is seen by its people, who alone are offered', async (fixture) => {
  const { openAs, ask, team, allow } = fixture
  allow(404)
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 3, (n) => ({
    title: `Errand ${n + 1}`,
    assignee_ids,
    ...(n === 0 && { status: 'done' }),
  }))
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Secret' })
  const page = await openAs('owner', 'p/ENG/settings')
  const visibility = page.getByLabel('Visible to')
  await visibility.selectOption({ label: 'Only project members' })
  await expect(visibility).toHaveAccessibleDescription(
    /It will be hidden from The member \(2 open tasks\)\.$/,
  )
  // Who leads a project keeps seeing it.
  await page.getByLabel('Lead').selectOption({ label: 'The member' })
  await expect(visibility).toHaveAccessibleDescription(/owners and admins will see it\.$/)
  await page.getByRole('button', { name: 'Save' }).click()
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  await expect(navigation.getByRole('link', { name: /^ENG/ })).toHaveAccessibleName(/private/)

  await page.goto(`/w/${team.workspace}/p/HID`)
  await page.getByText('Secret', { exact: true }).waitFor()
  await press(page, 'j', 'a')
  const seeing = [/The owner/, /The admin/]
  await expect(page.getByRole('option', { name: /^.*The / })).toHaveText(seeing)
  await page.goto(`/w/${team.workspace}/p/HID/settings`)
  await expect(page.getByLabel('Lead').locator('option')).toHaveText(['No one', ...seeing])
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('button', { name: 'Add people' }).click()
  await page.getByRole('option', { name: /The guest/ }).click()
  await page.keyboard.press('Escape')
  const remove = page.getByRole('button', { name: 'Remove The guest' })
  await expect(remove).toBeVisible()
  await assertAccessible(page)
  const guest = await openAs('guest', 'p/HID/settings?tab=people')
  const reason = guest.getByRole('paragraph').filter({ hasText: 'Only owners, admins' })
  await expect(reason).toBeVisible()
  await remove.click()
  await expect(page.getByText('Removed The guest')).toBeVisible()
  await expect(guest.getByText('Project HID not found.')).toBeVisible()
})
