import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { dayFrom, seedTasks } from './support/seed.ts'

interface Shown {
  id: string
  title: string
  parent_id: string | null
  due_date: string | null
  status: string
}

const all = async ({ ask, team }: Pick<Scene, 'ask' | 'team'>) =>
  (await ask<{ data: Shown[] }>('owner', `GET /api/v1/projects/${team.project}/tasks?limit=200`))
    .data
const titles = async (scene: Scene) => (await all(scene)).map(({ title }) => title).toSorted()

/** A task with two below it, opened on its page. */
async function opened(scene: Scene): Promise<Page> {
  const { as, ask, team } = scene
  const more = { start_date: '2026-03-01', due_date: '2026-03-04', status: 'in_progress' }
  const [top] = await seedTasks(scene, 1, () => ({ title: 'Release', ...more }))
  assert.ok(top)
  for (const title of ['Build', 'Announce']) {
    await ask('owner', 'POST /api/v1/tasks', {
      ...{ project_id: team.project, title, parent_id: top.id },
    })
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${top.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'Release' }).waitFor()
  return page
}

const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

browse('duplicates a task with its subtasks, and undoes it in one step', async (scene) => {
  // The copy that is open is asked for once more when it is gone.
  scene.allow(/404/)
  const page = await opened(scene)
  await choose(page, 'Duplicate')
  const dialog = page.getByRole('dialog', { name: 'Duplicate ENG-1' })
  await expect(dialog.getByRole('checkbox', { name: 'With its 2 subtasks' })).toBeChecked()
  await accessible(page)
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await expect(page.getByText('Copy of ENG-1 made: 3 tasks')).toBeVisible()
  await page.waitForURL('**/t/ENG-4')
  await expect
    .poll(() => titles(scene))
    .toEqual(['Announce', 'Announce', 'Build', 'Build', 'Release', 'Release'])
  const copies = (await all(scene)).filter(({ title }) => title === 'Release')
  assert.deepEqual(copies.map(({ status }) => status).toSorted(), ['in_progress', 'todo'])
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => titles(scene)).toEqual(['Announce', 'Build', 'Release'])
})

browse('a template is saved, used from the palette, changed and deleted', async (scene) => {
  const { team } = scene
  const page = await opened(scene)
  await choose(page, 'Save as template')
  const save = page.getByRole('dialog', { name: 'Save ENG-1 as template' })
  await save.getByLabel('Name', { exact: true }).fill('Our release')
  await save.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Template “Our release” saved')).toBeVisible()

  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox').fill('from a template')
  await page.getByRole('option', { name: /New task from a template/ }).click()
  const use = page.getByRole('dialog', { name: 'New task from a template' })
  await expect(use.getByLabel('Template', { exact: true })).toContainText('Our release (3 tasks)')
  await use.getByLabel('Title', { exact: true }).fill('Release 2')
  await use.getByLabel('Days count from').fill('2026-06-10')
  await accessible(page)
  await use.getByRole('button', { name: 'Make tasks' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Release 2' })).toBeVisible()
  const made = (await all(scene)).find(({ title }) => title === 'Release 2')
  assert.deepEqual([made?.due_date, made?.status], ['2026-06-13', 'todo'])

  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=templates`)
  await expect(page.getByRole('row', { name: /Our release/ })).toContainText('3 tasks')
  await page.getByRole('button', { name: 'Edit Our release' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit template' })
  await edit.getByRole('button', { name: 'Leave out Build' }).click()
  await edit.getByLabel('Due after days').first().fill('1')
  await accessible(page)
  await edit.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row', { name: /Our release/ })
  await expect(row).toContainText('2 tasks')
  await row.getByRole('button', { name: 'Delete Our release' }).click()
  await expect(row).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(row).toBeVisible()

  // A guest sees it and uses it.
  const guest = await scene.as('guest')
  await guest.goto(`/w/${team.workspace}/p/ENG/settings?tab=templates`)
  await expect(guest.getByRole('button', { name: 'Delete Our release' })).toHaveAttribute(
    'aria-disabled',
  )
  await guest.getByRole('button', { name: 'Use Our release' }).click()
  await guest.getByRole('dialog').getByRole('button', { name: 'Make tasks' }).click()
  await guest.getByText(/made: 2 tasks/).waitFor()
  // With the days to which it was changed.
  const used = (await all(scene)).filter(({ title }) => title === 'Release')
  assert.deepEqual(used.map(({ due_date }) => due_date).toSorted(), ['2026-03-04', dayFrom(1)])
})
