import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { batchesOf } from '#lib/batches.ts'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'
import { singleLinePayloads, XSS_MARKER, XSS_PAYLOADS } from '../support/xss-payloads.ts'

/** Lists elements and attributes in the page that user content must never produce. */
const findUnsafeMarkup = (page: Page): Promise<string[]> =>
  page.evaluate((mark) => {
    const found = mark in window ? ['a script ran'] : []
    const isOwnOrigin = (url: string) => new URL(url, location.href).origin === location.origin
    for (const element of document.querySelectorAll('*')) {
      const html = () => element.outerHTML.slice(0, 200)
      const name = element.localName
      for (const { name: attribute } of element.attributes) {
        if (attribute.startsWith('on') || attribute === 'srcdoc') found.push(html())
      }
      if (/^(iframe|object|embed|base|video|audio|marquee|math|applet|frame)$/.test(name)) {
        found.push(html())
      }
      if (name === 'script' && !isOwnOrigin((element as HTMLScriptElement).src || 'data:,'))
        found.push(html())
      if (/^(link|meta|style)$/.test(name) && !document.head.contains(element)) found.push(html())
      if (element instanceof HTMLAnchorElement && element.hasAttribute('href')) {
        if (!/^(https?|mailto):$/.test(element.protocol)) found.push(html())
        const rel = element.rel.split(' ')
        if (!isOwnOrigin(element.href) && !rel.includes('noopener')) found.push(html())
      }
      if (
        element instanceof HTMLImageElement &&
        !/^(blob:|\/api\/v1\/attachments\/)/.test(element.getAttribute('src') ?? '')
      ) {
        found.push(html())
      }
      if (element instanceof HTMLFormElement && element.hasAttribute('action')) found.push(html())
    }
    return found
  }, XSS_MARKER)

/** Runs the function for all items, 10 at a time: one person may upload 22 files at once. */
async function forEachInBatches<T>(
  all: readonly T[],
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  for (const batch of batchesOf(all, 10)) await Promise.all(batch.map(work))
}

const text = (page: Page, what: string) => page.getByText(what, { exact: true }).first()

browserTest(
  'user content with 300 XSS payloads runs no script and creates no unsafe element',
  async (fixture) => {
    const { as, team, ask } = fixture
    assert.ok(XSS_PAYLOADS.length >= 300, String(XSS_PAYLOADS.length))
    const titles = singleLinePayloads(500)
    const [task] = await seedTasks(fixture, 1, () => ({
      title: titles[1] ?? '',
      description: XSS_PAYLOADS.join('\n\n').slice(0, 65_000),
    }))
    assert.ok(task)
    const names = singleLinePayloads(50)
    const tags: string[] = []
    await forEachInBatches(names.slice(0, 100), async (name) => {
      const path = `POST /api/v1/projects/${team.project}/tags`
      const made = await ask<{ id: string }>('owner', path, { name }).catch(() => undefined)
      if (made) tags.push(made.id)
    })
    assert.ok(tags.length > 50, String(tags.length))
    const fields = singleLinePayloads(1_000).slice(0, 50)
    const custom_fields = Object.fromEntries(fields.map((value, at) => [`f${at}`, value]))
    await ask('owner', `PATCH /api/v1/tasks/${task.id}`, {
      tag_ids: tags.slice(0, 50),
      custom_fields,
    })
    await seedTasks(fixture, 60, (n) => ({ title: titles[n], parent_id: task.id }))
    const under = `/api/v1/tasks/${task.id}`
    await forEachInBatches(XSS_PAYLOADS, (body) =>
      ask('member', `POST ${under}/comments`, { body }),
    )
    await forEachInBatches(titles.slice(0, 30), (note) =>
      ask('owner', `POST ${under}/time-entries`, { duration_seconds: 60, note }),
    )
    const headers = {
      authorization: `Bearer ${team.people.owner.key}`,
      'content-type': 'image/png',
    }
    await forEachInBatches(singleLinePayloads(255).slice(0, 60), async (name) => {
      const filename = encodeURIComponent(name.replace(/[/\\]/g, '_'))
      const url = `${fixture.docket.url}${under}/attachments?filename=${filename}`
      const body = `<script>${XSS_MARKER}=1</script>`
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 201, name)
    })
    // The names of a person and of a project can only be changed by session.
    const page = await as('owner')
    const harmful = '"><img src=x onerror="__harmed=1"><b>N</b>'
    for (const path of ['/internal/account', `/internal/projects/${team.project}`]) {
      const change = { headers: { origin: fixture.docket.url }, data: { name: harmful } }
      assert.equal((await page.request.patch(path, change)).status(), 200)
    }

    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(titles[1] ?? '')
    await text(page, harmful).waitFor()
    assert.deepEqual(await findUnsafeMarkup(page), [])
    const older = page.getByRole('button', { name: 'Show older' })
    const said = page.locator('.said')
    for (let shown = 50; shown < XSS_PAYLOADS.length; shown += 50) {
      await expect
        .poll(() => said.count())
        .toBeGreaterThanOrEqual(Math.min(shown, XSS_PAYLOADS.length))
      await older.click()
    }
    await expect.poll(() => said.count()).toBe(XSS_PAYLOADS.length)
    await expect(page.locator('.md-source')).toHaveCount(0)
    assert.deepEqual(await findUnsafeMarkup(page), [])

    // The same texts while they are edited, in a picker and in the navigation.
    await page.keyboard.press('Shift+E')
    await expect(page.locator('.cm-content .cm-line')).not.toHaveCount(0)
    assert.deepEqual(await findUnsafeMarkup(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Tags: / }).click()
    await page.getByRole('option').first().waitFor()
    assert.deepEqual(await findUnsafeMarkup(page), [])
    await page.keyboard.press('Escape')
    await openScreen(page, `/w/${team.workspace}/my`)
    await page.getByRole('navigation', { name: 'Main' }).getByText(harmful).first().waitFor()
    assert.deepEqual(await findUnsafeMarkup(page), [])
  },
)

browserTest('renders Markdown, each text by its first strong letter', async (fixture) => {
  const { openAs, team } = fixture
  const description = [
    '| Left | Right |\n|:-----|------:|\n| ~~old~~ | `new` |',
    `Seen by <@${team.people.owner.id}>[^1] at www.example.com, see ENG-1.`,
    '3. third\n\n- [x] done\n- [ ] open\n\n> said **so** &amp; *more*  \n> again',
    '<!-- Please search first,\nand fill in all fields -->\n### Steps',
    'It <!-- not shown --> is <b>bold</b>, unlike `<!-- code -->`.',
    '[^1]: A note below.',
  ].join('\n\n')
  const directed = [
    'Shipping address:\nAda Lovelace\n12 Long Road',
    'مرحبا **بالعالم** (abc) 123!',
    '- שלום עולם (abc)!\n- from the left',
    '* שלום\n\n  abc',
    '> שלום (abc)!',
    '| שלום | abc |\n|---|---|\n| abc | שלום |',
  ].join('\n\n')
  await seedTasks(fixture, 2, (n) => ({
    title: n === 0 ? 'All of it' : 'שלום עולם: (abc) 123!',
    description: n === 0 ? description : directed,
  }))
  const page = await openAs('member', 't/ENG-1')
  const prose = page.locator('.description .prose')
  await expect(prose.locator('td').first()).toHaveCSS('text-align', 'left')
  await expect(prose.locator('td').last()).toHaveCSS('text-align', 'right')
  await expect(prose.locator('del')).toHaveText('old')
  await expect(prose.locator('.mention')).toHaveText('@The owner')
  await expect(prose.getByRole('link', { name: 'ENG-1' })).toBeVisible()
  await expect(prose.locator('ol').first()).toHaveAttribute('start', '3')
  await expect(prose.getByRole('checkbox', { name: 'done' })).toBeChecked()
  await expect(prose.getByRole('checkbox', { name: 'open' })).not.toBeChecked()
  await expect(prose.locator('blockquote strong')).toHaveText('so')
  await expect(prose.locator('h5')).toHaveText('Steps')
  await expect(prose).toContainText('It  is <b>bold</b>, unlike <!-- code -->.')
  await expect(prose).not.toContainText('Please search')
  const site = prose.getByRole('link', { name: 'www.example.com' })
  await expect(site).toHaveAttribute('href', 'http://www.example.com/')
  await prose.locator('sup a').click()
  await expect(page).toHaveURL(/#.*fn-1$/)
  await expect(prose.locator('section li:target')).toContainText('A note below.')

  await openScreen(page, `/w/${team.workspace}/t/ENG-2`)
  const address = prose.getByText('Ada Lovelace')
  await expect(address).toHaveText('Shipping address:\nAda Lovelace\n12 Long Road', {
    useInnerText: true,
  })
  const directions = (selector: string) =>
    prose
      .locator(selector)
      .evaluateAll((blocks) => blocks.map((one) => getComputedStyle(one).direction))
  assert.deepEqual(await directions(':scope > p'), ['ltr', 'rtl'])
  assert.deepEqual(await directions('li'), ['rtl', 'ltr', 'rtl'])
  assert.deepEqual(await directions('li > p'), ['rtl', 'ltr'])
  assert.deepEqual(await directions('blockquote, blockquote > p'), ['rtl', 'rtl'])
  assert.deepEqual(await directions('th, td'), ['rtl', 'ltr', 'ltr', 'rtl'])
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('direction', 'rtl')
})

browserTest('keeps the title, the way back and the text in sight', async (fixture) => {
  const { as, team } = fixture
  const wide = "<svg xmlns='http://www.w3.org/2000/svg' width='3000' height='40'/>"
  const picture = `/api/v1/attachments/att_${'0'.repeat(26)}/content`
  const lines = Array.from({ length: 80 }, (_, at) => `Line ${at}`).join('\n')
  const description = `![wide](${picture})\n\n- ![in a list](${picture})\n\n${lines}`
  await seedTasks(fixture, 1, () => ({ title: 'Long story', description }))
  const page = await as('member')
  await page.route(`**${picture}`, (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: wide }),
  )
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await page.goto(`/w/${team.workspace}/t/ENG-1`)
    const image = page.getByRole('img', { name: 'wide' })
    await expect.poll(() => image.evaluate((one) => one.getBoundingClientRect().height)).not.toBe(0)
    const overflow = await page.evaluate(() => document.body.scrollWidth - innerWidth)
    assert.equal(overflow, 0, `wider than ${width} px`)
    // The browser may return to the place at which the page was left.
    await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded()
    const bar = page.locator('.title-bar > p')
    await expect(bar).toBeHidden()
    await page.getByRole('button', { name: 'Log time' }).scrollIntoViewIfNeeded()
    await expect(bar).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('heading', { level: 1 })).not.toBeInViewport()
    const back = page.getByRole('button', { name: 'Back to Engineering' })
    await expect(back).toBeInViewport({ ratio: 1 })
    await page.getByRole('button', { name: /^Add a comment/ }).click()
    await page.keyboard.type('@The')
    await expect(page.getByRole('listbox', { name: 'People' })).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Enter')
    await page.keyboard.type(`look at ${width} px`)
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(page.getByText(`look at ${width} px`).last()).toBeInViewport({ ratio: 1 })
  }
  await page.getByRole('button', { name: /^Back to/ }).click()
  await expect(page).toHaveURL(/\/p\/ENG/)
})

browserTest('a task number in a text shows a preview on hover and on focus', async (fixture) => {
  const { openAs, team } = fixture
  const [task, other] = await seedTasks(fixture, 2, (n) => ({
    title: n === 0 ? 'Ship the importer' : 'Write the format down',
    status: 'in_progress',
    description: n === 0 ? 'First ENG-2, then ENG-77.' : '',
    ...(n === 1 && { assignee_ids: [team.people.member.id], due_date: dateFromToday(-2) }),
  }))
  assert.ok(task && other)
  const page = await openAs('member', `p/ENG?task=${task.short_id}`, { reducedMotion: 'reduce' })
  const link = page.locator('.description').getByRole('link', { name: 'ENG-2', exact: true })
  const card = page.getByRole('tooltip')
  await link.hover()
  for (const words of ['In progress', 'Write the format down', 'The member', '2 days overdue']) {
    await expect(card).toContainText(words)
  }
  // The preview can be hovered and dismissed without moving the pointer (WCAG 1.4.13).
  await card.hover()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await expect(card).toHaveCount(0)
  await page.mouse.move(0, 0)
  await link.focus()
  await expect(card).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(card).toHaveCount(0)
  await page.keyboard.press('Tab')
  fixture.allow(404)
  await expect(page.getByRole('tooltip')).toHaveText('A task you cannot see')
})
