import assert from 'node:assert/strict'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { holdReads } from '../support/route-requests.ts'
import { signInByForm } from '../support/seed.ts'
import { countStoredMutations, storeUnsentMutation } from '../support/stored-mutations.ts'

browserTest(
  'sign-in refuses a wrong password, then many, and returns to the page that was asked for',
  async (fixture) => {
    const { visitor, team, docket, allow } = fixture
    allow(401, 429)
    const { email, password } = team.people.member
    const page = await visitor()
    await page.goto(`/w/${team.workspace}/projects`)
    await page.waitForURL('**/sign-in?next=**')
    const submit = async (address: string, word: string) => {
      await page.getByLabel('Email').fill(address)
      await page.getByLabel('Password', { exact: true }).fill(word)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    const formTexts: (string | null)[] = []
    for (const address of [email, 'nobody@nowhere.example']) {
      await submit(address, 'not the password')
      await expect(page.getByText('Incorrect email or password.')).toBeVisible()
      await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
      formTexts.push(await page.locator('form').textContent())
    }
    assert.equal(formTexts[0], formTexts[1])
    await assertAccessible(page)
    await submit(email, password)
    await page.waitForURL(`**/w/${team.workspace}/projects`)
    await expect(page.getByRole('heading', { level: 1, name: 'Projects' })).toBeVisible()

    // It never leads to another site.
    await page.context().clearCookies()
    await page.goto(`/sign-in?next=${encodeURIComponent('//evil.example/')}`)
    await submit(email, password)
    await page.waitForURL(`**/w/${team.workspace}/my`)

    // Nor does the right password help after ten wrong ones.
    const { guest } = team.people
    for (let n = 0; n < 10; n++) {
      await fetch(`${docket.url}/internal/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: docket.url },
        body: JSON.stringify({ email: guest.email, password: `wrong ${n}` }),
      })
    }
    await page.context().clearCookies()
    await page.goto('/sign-in')
    await submit(guest.email, guest.password)
    await expect(page.getByText(/Too many attempts. Try again at \d\d:\d\d/)).toBeVisible()
  },
)

browserTest('an expired session asks for the password and keeps unsaved text', async (fixture) => {
  const { openAs, team, allow } = fixture
  allow(401)
  const page = await openAs('owner', 'p/ENG/settings?tab=tags')
  await page.getByRole('textbox', { name: 'New tag' }).fill('half written')
  // By a read it would learn of the end of its session before the click.
  const continueReads = await holdReads(page)
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Add tag' }).click()
  const form = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(form.getByLabel('Password')).toBeFocused()
  continueReads()
  await assertAccessible(page, { within: OPEN_DIALOG })
  // A browser lets a page prevent the first Escape only.
  for (let n = 0; n < 3; n++) await page.keyboard.press('Escape')
  await expect(form.getByLabel('Password')).toBeFocused()
  await storeUnsentMutation(page)
  const chooseOtherAccount = async () => {
    await form.getByRole('link', { name: 'Sign in with another account' }).click()
    await expect(form.getByText(/^1 change has not been sent yet/)).toBeVisible()
  }
  await chooseOtherAccount()
  assert.equal(await countStoredMutations(page), 1)
  await form.getByLabel('Password').fill(team.people.owner.password)
  await form.getByRole('button', { name: 'Sign in' }).click()
  await expect(form).toBeHidden()
  await expect(page.getByRole('textbox', { name: 'New tag' })).toHaveValue('half written')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect(page.getByLabel('Rename half written')).toBeVisible()

  await page.getByRole('textbox', { name: 'New tag' }).fill('of somebody else')
  const continueLaterReads = await holdReads(page)
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect(form).toBeVisible()
  continueLaterReads()
  await chooseOtherAccount()
  await form.getByRole('button', { name: 'Sign out and discard changes' }).click()
  await page.waitForURL('**/sign-in')
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), [])
  await expect.poll(() => page.evaluate(() => indexedDB.databases())).toEqual([])
})

browserTest('signing out asks first and clears what is stored', async ({ visitor, team }) => {
  const page = await visitor()
  await signInByForm(page, team.people.member)
  await page.goto(`/w/${team.workspace}/settings/members`)
  await storeUnsentMutation(page)
  const question = page.getByRole('dialog', { name: 'Sign out anyway?' })
  // Leaving the workspace signs out as well.
  await page.getByRole('button', { name: 'Leave the workspace?' }).click()
  const leaving = page.getByRole('dialog', { name: 'Leave the workspace?' })
  await leaving.getByRole('button', { name: 'Leave' }).click()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await leaving.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByLabel('Theme').selectOption('dark')
  await page.evaluate(() => localStorage.setItem('docket.draft.x', 'secret plans'))
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(question.getByText(/^1 change has not been sent yet/)).toContainText(
    '1 draft is in this browser alone and would be lost.',
  )
  await question.getByRole('button', { name: 'Sign out and discard changes' }).click()
  await page.waitForURL('**/sign-in')
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual(['docket.theme'])
})

browserTest('signing in as somebody else asks before their work is lost', async (fixture) => {
  const { visitor, team, allow } = fixture
  allow(401)
  const page = await visitor()
  await signInByForm(page, team.people.member)
  await storeUnsentMutation(page)
  await page.evaluate(() => localStorage.setItem('docket.draft.x', 'secret plans'))
  await page.context().clearCookies()
  const { email, password } = team.people.admin
  const signIn = async () => {
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const question = page.getByRole('dialog', { name: 'Discard the work of somebody else?' })
  await signIn()
  await expect(question).toContainText('1 change has not been sent yet and would be lost.')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Email')).toHaveValue('')
  assert.equal(await countStoredMutations(page), 1)
  assert.equal(await page.evaluate(() => localStorage.getItem('docket.draft.x')), 'secret plans')
  const reply = await page.request.get('/internal/session')
  assert.equal(reply.status(), 401)

  await signIn()
  await question.getByRole('button', { name: 'Discard it and sign in' }).click()
  await page.waitForURL('**/w/**')
  assert.equal(await page.evaluate(() => localStorage.getItem('docket.draft.x')), null)
})
