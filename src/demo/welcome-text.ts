import { styleText } from 'node:util'
import type { DemoCredentials } from './demo-credentials.ts'

/** The text with the setup token, which is printed on a very first start without a demo. */
export const setupText = (baseUrl: string, setupToken: string): string =>
  [
    '',
    `  Create the first account at ${baseUrl}/sign-up`,
    `  Setup token: ${setupToken}`,
    '  It is shown only once; docket setup-token prints it again until there is an account.',
    '',
  ].join('\n')

/** The text with the credentials, which is printed once. */
export function welcomeText(
  baseUrl: string,
  { workspace_id, email, password, api_key }: DemoCredentials,
): string {
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout })
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout })
  return [
    '',
    `  ${bold('Welcome to Docket')}`,
    '  These are the credentials of the demo workspace. They are shown only once.',
    '',
    `  ${dim('Address  ')}  ${baseUrl}`,
    `  ${dim('Workspace')}  ${workspace_id}`,
    `  ${dim('Email    ')}  ${email}`,
    `  ${dim('Password ')}  ${password}`,
    `  ${dim('API key  ')}  ${api_key}`,
    '',
    `  ${bold('Next steps')}`,
    '  1. Open the address, sign in, and set up your own account.',
    '     Keep the demo workspace to look around, or remove it.',
    '  2. Call the API:',
    `     curl -H 'Authorization: Bearer ${api_key}' '${baseUrl}/api/v1/tasks?assignee_id=me'`,
    `  3. Read the API reference at ${baseUrl}/docs`,
    '',
    `  ${dim('To install without a demo, set DOCKET_DEMO=0 before the first start.')}`,
    '',
  ].join('\n')
}
