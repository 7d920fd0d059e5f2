import assert from 'node:assert/strict'
import type { Locator, Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { openScreen } from '../support/open-screen.ts'
import { holdComposerCode } from '../support/reads/hold-reads.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'
import { expectWritten } from '../support/written-text.ts'

interface CapturedTask {
  id: string
  title: string
  description: string | null
  status: string
  priority: string
  due_date: string | null
  assignee_ids: string[]
  tag_ids: string[]
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'New task' })
const descriptionOf = (page: Page) =>
  dialogOf(page).getByRole('textbox', { name: 'Description', exact: true })
const titleOf = (page: Page) => dialogOf(page).getByRole('combobox', { name: 'Title' })

async function readTasks({ ask, team }: BrowserFixture, project = team.project) {
  const path = `GET /api/v1/projects/${project}/tasks?sort=created_at`
  return (await ask<{ data: CapturedTask[] }>('owner', path)).data
}

const pasteFiles = (target: Locator, ...names: string[]) =>
  target.evaluate((element, all) => {
    const clipboardData = new DataTransfer()
    for (const name of all) clipboardData.items.add(new File(['x'], name))
    const init = { clipboardData, bubbles: true, cancelable: true }
    element.dispatchEvent(new ClipboardEvent('paste', init))
  }, names)

/** The files of the first task. */
async function readFiles(fixture: BrowserFixture): Promise<string[]> {
  const path = `GET /api/v1/tasks/${(await readTasks(fixture))[0]?.id}/attachments`
  const { data } = await fixture.ask<{ data: { filename: string }[] }>('owner', path)
  return data.map(({ filename }) => filename).toSorted()
}

/** Opens My work, where nothing belongs to a project. */
async function openMyWork({ as, team }: BrowserFixture, role: 'owner' | 'member' = 'member') {
  const page = await as(role)
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  return page
}

browserTest(
  'C opens a new task on every screen, and Enter creates it and stays',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 1, () => ({ title: 'First' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/projects`)
    for (const [screen, heading] of [
      ['my', 'My work'],
      ['inbox', 'Inbox'],
      ['t/ENG-1', 'First'],
      ['p/ENG?view=board', 'Engineering'],
    ] as const) {
      await openScreen(page, `/w/${team.workspace}/${screen}`)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      const address = page.url()
      await page.keyboard.press('c')
      await expect(titleOf(page)).toBeFocused()
      await page.keyboard.type(`From ${heading} tomorrow`)
      await expect(page.getByRole('button', { name: /^Remove due date tomorrow/ })).toBeVisible()
      await page.keyboard.press('Enter')
      await expect(titleOf(page)).toHaveValue('')
      await expect(titleOf(page)).toBeFocused()
      await expect(dialogOf(page).getByText(/^ENG-\d+ created/)).toBeVisible()
      assert.equal(page.url(), address)
      await page.keyboard.press('Escape')
      await expect(dialogOf(page)).toHaveCount(0)
    }
    const tasks = await readTasks(fixture)
    assert.deepEqual(
      tasks.map(({ title, due_date }) => [title, due_date]),
      [
        ['First', null],
        ...['My work', 'Inbox', 'First', 'Engineering'].map((heading) => [
          `From ${heading}`,
          dateFromToday(1),
        ]),
      ],
    )

    // The link leads to the task, and closes the dialog.
    await page.keyboard.press('c')
    await expect(titleOf(page)).toBeFocused()
    await page.keyboard.type('Last')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByRole('link', { name: 'Open' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Last' })).toBeVisible()
    await expect(dialogOf(page)).toHaveCount(0)
  },
)

browserTest('a task with project, date, person and tag takes at most 30 keys', async (fixture) => {
  const { ask, team } = fixture
  const path = `POST /api/v1/projects/${team.project}/tags`
  const { id: tag } = await ask<{ id: string }>('owner', path, { name: 'infra' })
  const page = await openMyWork(fixture, 'owner')
  // The project in which a task was created last is another one.
  await page.keyboard.press('c')
  await expect(titleOf(page)).toBeFocused()
  await page.getByLabel('Project').selectOption(team.hidden)
  await titleOf(page).fill('Elsewhere')
  await titleOf(page).press('Control+Enter')
  await expect(dialogOf(page)).toHaveCount(0)

  let keys = 0
  const press = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
    keys += pressed.length
  }
  await press('c')
  await expect(titleOf(page)).toBeFocused()
  await expect(page.getByLabel('Project')).toHaveValue(team.hidden)
  await press('Shift+Tab', 'e', 'n', 'Tab')
  await expect(page.getByLabel('Project')).toHaveValue(team.project)
  await press(...'Fix login @')
  await expect(page.getByRole('option', { name: 'The guest' })).toBeVisible()
  await press(...'the m')
  await press('Tab', '#', 'i')
  await expect(page.getByRole('option', { name: 'infra' })).toBeVisible()
  await press('Tab', ...'fri')
  await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(3)
  await press('Enter')
  await expect(dialogOf(page).getByText('ENG-1 created')).toBeVisible()
  assert.ok(keys <= 30, `${keys} keys`)
  const [task] = await readTasks(fixture)
  assert.deepEqual(
    [task?.title, task?.assignee_ids, task?.tag_ids, task?.due_date !== null],
    ['Fix login', [team.people.member.id], [tag], true],
  )
})

browserTest('a new task starts with the values of the filtered view', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1, () => ({ title: 'First', status: 'in_progress', priority: 'high' }))
  const page = await as('member')
  const filter = 'status:in_progress priority:high assignee:none,me -tag:infra'
  await page.goto(`/w/${team.workspace}/p/ENG?f=${encodeURIComponent(filter)}`)
  await page.getByText('First', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'New task' }).first().click()
  await expect(titleOf(page)).toBeFocused()
  const chips = dialogOf(page).getByRole('button', { name: /^Remove/ })
  await expect(chips).toHaveText(['', ''])
  await page.getByRole('button', { name: 'Remove status In progress' }).waitFor()
  await page.keyboard.press('Backspace')
  await expect(page.getByRole('button', { name: 'Remove priority High' })).toHaveCount(0)
  await page.keyboard.type('Second')
  await page.keyboard.press('Enter')
  await expect(chips).toHaveCount(2)
  await page.keyboard.type('Third !low')
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('ENG-3 created')).toBeVisible()
  assert.deepEqual(
    (await readTasks(fixture)).map(({ title, status, priority }) => [title, status, priority]),
    [
      ['First', 'in_progress', 'high'],
      ['Second', 'in_progress', 'none'],
      ['Third', 'in_progress', 'low'],
    ],
  )
})

browserTest('@ and # offer what can be assigned in the project', async (fixture) => {
  const { team } = fixture
  const page = await openMyWork(fixture, 'owner')
  await page.keyboard.press('c')
  await expect(titleOf(page)).toBeFocused()
  const person = page.getByRole('button', { name: 'Remove assignee The member' })
  await page.keyboard.type('Plan it friday @The member ')
  await expect(person).toBeVisible()
  // Who does not see another project is text there, and can be added.
  await page.getByLabel('Project').selectOption(team.hidden)
  await expect(person).toHaveCount(0)
  await expect(titleOf(page)).toHaveValue('Plan it friday @The member ')
  await titleOf(page).fill('Plan it friday @the ')
  const options = page.getByRole('listbox', { name: 'People and tags' }).getByRole('option')
  await expect(options.filter({ hasText: 'The admin' })).toHaveText(/The admin$/)
  const add = options.filter({ hasText: 'Add The member to' })
  await expect(add).toHaveText(/Add The member to .* and assign$/)
  // What was typed before the name is still taken.
  const due = page.getByRole('button', { name: /^Remove due date friday/ })
  await expect(due).toBeVisible()
  // The list covers none of it.
  const isHit = (button: HTMLElement) => {
    const { left, top, width, height } = button.getBoundingClientRect()
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  }
  expect(await due.evaluate(isHit)).toBe(true)
  await assertAccessible(page, { within: OPEN_DIALOG })
  await add.click()
  await expect(person).toBeVisible()
  await page.keyboard.type('#big')
  await expect(options).toHaveText(['New tag “big”'])
  await page.keyboard.press('Escape')
  await expect(options).toHaveCount(0)
  await expect(dialogOf(page)).toBeVisible()
  // It stays closed for this word.
  await page.keyboard.type('g')
  await expect(options).toHaveCount(0)
  for (let at = 0; at < 5; at += 1) await page.keyboard.press('Backspace')
  await page.keyboard.type('#bigg')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Remove new tag bigg' })).toBeVisible()
  // A name can be written anywhere in the line.
  for (let at = 0; at < 7; at += 1) await page.keyboard.press('ArrowLeft')
  await page.keyboard.type('#lat')
  await expect(options).toHaveText(['New tag “lat”'])
  await options.click()
  await page.keyboard.type('!low well ')
  await expect(titleOf(page)).toHaveValue('Plan it well friday ')
  const tag = page.getByRole('button', { name: 'Remove new tag lat' })
  await tag.click()
  await expect(tag).toHaveCount(0)
  await titleOf(page).fill('Plan it friday')
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('HID-1 created')).toBeVisible()
  const [task] = await readTasks(fixture, team.hidden)
  assert.deepEqual([task?.title, task?.assignee_ids], ['Plan it', [team.people.member.id]])

  // One key gives back what was just taken, the next one deletes.
  await page.keyboard.type('Ask @The admin about it @The member ')
  await expect(person).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(person).toHaveCount(0)
  await expect(titleOf(page)).toHaveValue('Ask about it @The member ')
  await page.keyboard.press('Backspace')
  await expect(titleOf(page)).toHaveValue('Ask about it @The member')

  // A member can add nobody, so only those are offered who see the project.
  const other = await openMyWork(fixture)
  await other.keyboard.press('c')
  await expect(titleOf(other)).toBeFocused()
  await other.getByLabel('Project').selectOption(team.hidden)
  await titleOf(other).focus()
  await other.keyboard.type('Look @the guest')
  await expect(other.getByRole('option', { name: /guest/ })).toHaveCount(0)
})

browserTest('Escape keeps a draft, which goes to the project of the screen', async (fixture) => {
  const { team, ask } = fixture
  await ask('owner', `POST /api/v1/projects/${team.hidden}/tags`, { name: 'infra' })
  const page = await openMyWork(fixture, 'owner')
  await page.keyboard.press('c')
  await expect(titleOf(page)).toBeFocused()
  await page.getByLabel('Project').selectOption(team.hidden)
  await titleOf(page).fill('')
  await page.keyboard.type('Half of it !high #infra ')
  const tag = page.getByRole('button', { name: 'Remove tag infra' })
  await expect(tag).toBeVisible()
  await descriptionOf(page).fill('What it is about')
  await page.keyboard.press('Escape')
  await expect(dialogOf(page)).toHaveCount(0)
  await page.goto(`/w/${team.workspace}/inbox`)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.keyboard.press('c')
  await expect(titleOf(page)).toHaveValue('Half of it ')
  await expect(page.getByLabel('Project')).toHaveValue(team.hidden)
  await expect(page.getByRole('button', { name: 'Remove priority High' })).toBeVisible()
  await expectWritten(descriptionOf(page), 'What it is about')
  await expect(tag).toBeVisible()
  await tag.click()
  await expect(page.getByRole('button', { name: /^Remove (new )?tag/ })).toHaveCount(0)
  await titleOf(page).fill('Half of it')
  await page.keyboard.press('Escape')

  await openScreen(page, `/w/${team.workspace}/p/ENG`)
  await page.getByRole('heading', { level: 1, name: 'Engineering' }).waitFor()
  await page.keyboard.press('c')
  await expect(titleOf(page)).toHaveValue('Half of it')
  await expect(page.getByLabel('Project')).toHaveValue(team.project)
  await titleOf(page).press('Control+Enter')
  await expect(dialogOf(page)).toHaveCount(0)
  // A task that was created by the key that closes the dialog can be opened, too.
  await page.getByText('ENG-1 created').waitFor()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Half of it' })).toBeVisible()
  const [task] = await readTasks(fixture)
  assert.deepEqual([task?.priority, task?.description], ['high', 'What it is about'])

  await page.keyboard.press('c')
  await expect(titleOf(page)).toHaveValue('')
  await page.keyboard.type('Nothing of this')
  await dialogOf(page).getByRole('button', { name: 'Discard' }).click()
  await expect(titleOf(page)).toHaveValue('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await expect(titleOf(page)).toHaveValue('')
})

browserTest(
  'the description is written as on a task, and loads the editor then',
  async (fixture) => {
    const { team } = fixture
    const [other] = await seedTasks(fixture, 1, () => ({ title: 'Write the format down' }))
    const page = await openMyWork(fixture)
    const code: string[] = []
    page.on('request', (request) => code.push(request.url()))
    const loadsEditor = () => code.some((url) => url.includes('rich-text'))
    await page.keyboard.press('c')
    await expect(titleOf(page)).toBeFocused()
    await page.keyboard.type('Plan')
    assert.ok(!loadsEditor())
    await page.keyboard.press('Tab')
    await expect(dialogOf(page).locator('.cm-content')).toBeFocused()
    assert.ok(loadsEditor())
    const options = dialogOf(page).locator('[role="option"]')
    await page.keyboard.type('/todo')
    await expect(options).toHaveText(['Checklist'])
    await assertAccessible(page, { within: OPEN_DIALOG })
    await page.keyboard.press('Enter')
    await page.keyboard.type('ask @The ow')
    await expect(options).toHaveText([/The owner/])
    await page.keyboard.press('Enter')
    await page.keyboard.type('about #format')
    await expect(options).toHaveText([/Write the format down/])
    // Escape closes the list before the dialog.
    await page.keyboard.press('Escape')
    await expect(options).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(dialogOf(page)).toHaveCount(0)
    await page.keyboard.press('c')
    const { owner } = team.people
    await expectWritten(descriptionOf(page), `- [ ] ask <@${owner.id}> about #format`)
    await expect(descriptionOf(page).locator('.mention')).toHaveText('@The owner')
    await descriptionOf(page).focus()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('Backspace')
    await expect(options).toHaveText([/Write the format down/])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+Enter')
    await expect(dialogOf(page)).toHaveCount(0)
    await expect
      .poll(async () => (await readTasks(fixture))[1]?.description)
      .toBe(`- [ ] ask <@${owner.id}> about ${other?.short_id} `)
    await page.keyboard.press('c')
    await expectWritten(descriptionOf(page), '')
  },
)

browserTest('files of a new task are attached to it, also later', async (fixture) => {
  fixture.allow(CONNECTION_ERRORS)
  const page = await openMyWork(fixture)
  await page.keyboard.press('c')
  await titleOf(page).fill('With files')
  await pasteFiles(descriptionOf(page), 'one.txt', 'two.txt')
  await pasteFiles(titleOf(page), 'three.txt')
  await dialogOf(page).getByRole('button', { name: 'Remove file two.txt' }).click()
  // A file is in no draft, so the dialog asks before it is lost.
  await titleOf(page).press('Escape')
  const question = page.getByRole('dialog', { name: 'Discard what you have entered?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.context().setOffline(true)
  await titleOf(page).press('Enter')
  await expect(dialogOf(page).getByText('Saving “With files”')).toBeVisible()
  await expect(dialogOf(page).getByRole('button', { name: /^Remove file/ })).toHaveCount(0)
  await page.context().setOffline(false)
  await expect(dialogOf(page).getByText('ENG-1 created')).toBeVisible()
  await expect.poll(() => readFiles(fixture)).toEqual(['one.txt', 'three.txt'])
})

browserTest('files wait while their task is refused, and go with it', async (fixture) => {
  fixture.allow(403)
  const page = await openMyWork(fixture)
  const uploads: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/attachments?filename=')) uploads.push(request.url())
  })
  const creation = /\/api\/v1\/tasks$/
  await routeRequests(page, creation, refuseRequest)
  const create = async (title: string) => {
    await page.keyboard.press('c')
    await titleOf(page).fill(title)
    await pasteFiles(titleOf(page), `${title}.txt`)
    await titleOf(page).press('Control+Enter')
    await page.getByRole('button', { name: 'Copy text' }).waitFor()
  }
  await create('Dropped')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await create('Kept')
  assert.deepEqual(uploads, [])
  await page.unroute(creation)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  assert.deepEqual(await readFiles(fixture), ['Kept.txt'])
  assert.equal(uploads.length, 1)
})

browserTest('a description that is too long stays in the dialog', async (fixture) => {
  const page = await openMyWork(fixture)
  await page.keyboard.press('c')
  await titleOf(page).fill('Essay')
  await descriptionOf(page).fill('x'.repeat(65_537))
  await titleOf(page).press('Control+Enter')
  const error = dialogOf(page).getByRole('alert')
  await expect(error).toHaveText('A description has at most 65,536 characters.')
  await expect(titleOf(page)).toHaveValue('Essay')
  assert.equal(await countStoredMutations(page), 0)
  await descriptionOf(page).press('Backspace')
  await expect(error).toHaveCount(0)
  await descriptionOf(page).fill('x'.repeat(65_536))
  await titleOf(page).press('Control+Enter')
  await expect(dialogOf(page)).toHaveCount(0)
  await expect
    .poll(async () => (await readTasks(fixture)).map((task) => task.description?.length))
    .toEqual([65_536])
})

browserTest('a double click and a held Enter create one task', async (fixture) => {
  const page = await openMyWork(fixture)
  await page.keyboard.press('c')
  await titleOf(page).fill('Once')
  await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).dblclick()
  await titleOf(page).fill('Twice')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(dialogOf(page).getByText('ENG-2 created')).toBeVisible()
  await expect(dialogOf(page)).toBeVisible()
  assert.deepEqual(
    (await readTasks(fixture)).map(({ title }) => title),
    ['Once', 'Twice'],
  )
})

browserTest('keys that are pressed while the dialog opens are for its title', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 2)
  const page = await as('member')
  const loadCode = await holdComposerCode(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.locator('[data-number="1"]').focus()
  await page.keyboard.press('c')
  await page.keyboard.type('jxd')
  await expect(page.getByText('1 selected')).toHaveCount(0)
  loadCode()
  await expect(titleOf(page)).toHaveValue('jxd')
  await page.keyboard.type(' and more')
  await expect(titleOf(page)).toHaveValue('jxd and more')
})

browserTest(
  'nothing of a new task is hidden on a phone with its keyboard open',
  async (fixture) => {
    const page = await openMyWork(fixture)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('navigation').getByRole('button', { name: 'New' }).click()
    await expect(titleOf(page)).toBeFocused()
    await page.keyboard.type('Call the bank friday 9am 30min !high')
    // A keyboard of 320 px covers the page, or makes it so much lower.
    const create = await dialogOf(page)
      .getByRole('button', { name: 'Create' })
      .first()
      .boundingBox()
    assert.ok(create && create.y + create.height <= 420, `${create?.y}`)
    await page.setViewportSize({ width: 360, height: 420 })
    await expect(page.getByRole('button', { name: /^Remove/ })).toHaveCount(3)
    await expect(dialogOf(page)).toBeInViewport({ ratio: 1 })
    for (const name of ['Create', 'Create and close']) {
      const button = dialogOf(page).getByRole('button', { name, exact: true })
      await expect(button).toBeInViewport({ ratio: 1 })
      await button.click({ trial: true })
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.ok(overflow <= 0)
    await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).click()
    await expect(dialogOf(page).getByText('ENG-1 created')).toBeVisible()
  },
)

browserTest('several pasted lines become several tasks of the chosen project', async (fixture) => {
  const page = await openMyWork(fixture)
  await page.keyboard.press('c')
  await expect(titleOf(page)).toBeFocused()
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.setData('text', '- [x] one\n- 1.5 version\n- three')
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  })
  await expect(page.getByRole('button', { name: 'Create 3 tasks' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect
    .poll(async () => (await readTasks(fixture)).map(({ title, status }) => [title, status]))
    .toEqual([
      ['one', 'done'],
      ['1.5 version', 'todo'],
      ['three', 'todo'],
    ])
})

browserTest('what another app shares begins a new task', async (fixture) => {
  const { as } = fixture
  const page = await as('member')
  const shared = new URLSearchParams({ title: 'Read this tomorrow', url: 'https://example.com/a' })
  await page.goto(`/start?${shared}`)
  const dialog = page.getByRole('dialog', { name: 'New task' })
  await expect(titleOf(page)).toHaveValue(/^Read this/)
  await expectWritten(descriptionOf(page), 'https://example.com/a')
  await titleOf(page).press('Enter')
  await expect(dialog.getByText(/ENG-1 created/)).toBeVisible()
  await expect(page).toHaveURL(/\/my$/)
})
