import { NOBODY } from '#core/actor.ts'
import { preparePassword, setPassword } from '#identity/account.ts'
import { queryOfAll } from '#storage/statement.ts'
import { accessible } from './support/axe.ts'
import { browseEmpty } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { signIn } from './support/seed.ts'

const PRINTED = 'printed at the first start'
const userOf = queryOfAll((db, $: { email: string }) =>
  db.selectFrom('users').select('id').where('email', '=', $.email),
)

browseEmpty(
  'the first start: printed credentials, own account, empty workspace',
  { env: { DOCKET_DEMO: '1' } },
  async ({ visitor, docket, allow }) => {
    allow(422)
    const email = 'maya@demo.example'
    const { hash } = await preparePassword(PRINTED)
    await docket.storage.write(NOBODY, async (tx) => {
      const user = await tx.one(userOf, { email })
      await setPassword(tx, user?.id ?? '', hash)
    })
    const page = await visitor({ timezoneId: 'Europe/Zurich' })
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PRINTED)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/setup')
    await expect(page.getByLabel('Time zone')).toHaveValue('Europe/Zurich')
    await page.getByLabel('Name').fill('Ines Okafor')
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByLabel('Remove it and start empty').check()
    await page.getByLabel('Workspace', { exact: true }).fill('Halden Works')
    await accessible(page)
    await page.getByRole('button', { name: 'Save and begin' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    await expect(page.getByLabel('Name')).toHaveValue('Ines Okafor')
    const password = 'correct horse battery staple'
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save and begin' }).click()
    await page.waitForURL('**/w/*/p/*')
    await expect(page.getByRole('heading', { level: 1 })).toContainText('First steps')
    await page.goto('/setup')
    await expect(page.getByText('This is set up already')).toBeVisible()
    const other = await visitor()
    const person = { id: '', role: 'owner' as const, name: '', key: '' }
    await signIn(other, { ...person, email: 'ines@halden.example', password })
    await expect(other.getByText('Halden Works').first()).toBeVisible()
  },
)

browseEmpty(
  'the first sign-up owns the installation, later ones need an invitation',
  {},
  async ({ visitor, allow }) => {
    allow(422)
    const page = await visitor()
    await page.goto('/sign-in')
    await page.waitForURL('**/sign-up')
    await page.getByLabel('Name').fill('Ines Okafor')
    await page.getByLabel('Email').fill('not an address')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple')
    await page.getByLabel('Workspace').fill('Halden')
    await accessible(page)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByLabel('Email')).toBeFocused()
    await page.getByLabel('Email').fill('ines@halden.example')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/w/*/my')
    const late = await visitor()
    await late.goto('/sign-up')
    await expect(late.getByText('Accounts are by invitation')).toBeVisible()
  },
)
