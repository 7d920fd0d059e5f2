import { basicAuthorization, type TestApplication } from '../support/oauth/oauth-client.ts'
import type { FormFields } from './send-requests.ts'

/** Applications whose credentials are mixed up. */
export interface OAuthTestClients {
  confidential: TestApplication
  otherConfidential: TestApplication
  publicClient: TestApplication
  /** The old secret of `confidential`, from before its rotation. */
  rotatedSecret: string
}

/** How a client authenticates, by a header or form fields. The outcome is `in` or an error. */
export type ClientAuthenticationCase = readonly [
  name: string,
  how: { authorization?: string; fields?: FormFields },
  outcome: string,
]

const INVALID_CLIENT = '401 invalid_client'
const INVALID_REQUEST = '400 invalid_request'

const toBasicHeader = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const percentEncode = (text: string) =>
  [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('')

/** Right and wrong ways of client authentication. */
export function clientAuthenticationCases({
  confidential,
  otherConfidential,
  publicClient,
  rotatedSecret,
}: OAuthTestClients): ClientAuthenticationCase[] {
  const { id, secret = '' } = confidential
  const basicAuth = basicAuthorization(id, secret)
  const as = (name: string, value: string) => [name, value] as const
  const idField = as('client_id', id)
  const secretField = as('client_secret', secret)
  const header = (
    name: string,
    authorization: string,
    outcome = INVALID_CLIENT,
  ): ClientAuthenticationCase => [name, { authorization }, outcome]
  const form = (
    name: string,
    fields: FormFields,
    outcome = INVALID_CLIENT,
  ): ClientAuthenticationCase => [name, { fields }, outcome]
  return [
    header('basic', basicAuth, 'in'),
    header('basic in lower case', basicAuth.replace('Basic', 'basic'), 'in'),
    header(
      'basic, percent-encoded',
      toBasicHeader(`${percentEncode(id)}:${percentEncode(secret)}`),
      'in',
    ),
    form('post', [idField, secretField], 'in'),
    ['basic, and the same client_id', { authorization: basicAuth, fields: [idField] }, 'in'],
    form('none, of a public one', [as('client_id', publicClient.id)], 'in'),
    [
      'basic and post',
      { authorization: basicAuth, fields: [idField, secretField] },
      INVALID_REQUEST,
    ],
    [
      'basic, and the client_id of another',
      { authorization: basicAuth, fields: [as('client_id', otherConfidential.id)] },
      INVALID_REQUEST,
    ],
    [
      'basic, and the client_id of a public one',
      { authorization: basicAuth, fields: [as('client_id', publicClient.id)] },
      INVALID_REQUEST,
    ],
    form('none, of a confidential one', [idField]),
    form('post without a secret', [idField, as('client_secret', '')]),
    form('post with a wrong secret', [idField, as('client_secret', `${secret.slice(0, -1)}!`)]),
    form('post with the secret of another', [
      idField,
      as('client_secret', otherConfidential.secret ?? ''),
    ]),
    form('post with the secret from before', [idField, as('client_secret', rotatedSecret)]),
    form('post with another alphabet', [idField, as('client_secret', secret.toLowerCase())]),
    form('post with what the library is told', [idField, as('client_secret', 'hashed')]),
    form('post with a very long secret', [idField, as('client_secret', 'x'.repeat(8_192))]),
    form('post with U+0000', [idField, as('client_secret', `${secret}\0`)]),
    form('client_id twice', [idField, idField, secretField], INVALID_REQUEST),
    form(
      'client_id twice, one of another',
      [idField, as('client_id', otherConfidential.id), secretField],
      INVALID_REQUEST,
    ),
    form('client_secret twice', [idField, secretField, secretField], INVALID_REQUEST),
    form('a public one with a secret', [as('client_id', publicClient.id), secretField]),
    form('an unknown one', [as('client_id', 'app_01k2m3n4p5q6r7s8t9v0w1x2y3'), secretField]),
    form('an id with U+0000', [as('client_id', `${id}\0`), secretField]),
    form('an id in upper case', [as('client_id', id.toUpperCase()), secretField]),
    form('nobody', []),
    form('an empty client_id', [as('client_id', '')]),
    form('an assertion', [
      idField,
      as('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
      as('client_assertion', `e30.${Buffer.from(`{"sub":"${id}"}`).toString('base64url')}.`),
    ]),
    header('basic with a wrong secret', basicAuthorization(id, `${secret}x`)),
    header(
      'basic with the secret of another',
      basicAuthorization(id, otherConfidential.secret ?? ''),
    ),
    header('basic with the secret from before', basicAuthorization(id, rotatedSecret)),
    header('basic of a public one', basicAuthorization(publicClient.id, secret)),
    header('basic of a public one without a secret', toBasicHeader(`${publicClient.id}:`)),
    header('basic without a secret', toBasicHeader(`${id}:`)),
    header('basic without a colon', toBasicHeader(id)),
    header('basic without an id', toBasicHeader(`:${secret}`)),
    header('basic, wrongly encoded', toBasicHeader(`${id}:%zz${secret}`)),
    header('basic, U+0000', toBasicHeader(`${id}:${secret}%00`)),
    header('basic, no base64', 'Basic !!!'),
    header('basic, nothing', 'Basic'),
    header('basic, a space more', basicAuth.replace(' ', '  ')),
    header('an empty header', ''),
    header('bearer', `Bearer ${secret}`),
    header('digest', 'Digest username="x"'),
    [
      'bearer, and a right form',
      { authorization: 'Bearer x', fields: [idField, secretField] },
      INVALID_CLIENT,
    ],
    [
      'bearer, and a public one',
      { authorization: 'Bearer x', fields: [as('client_id', publicClient.id)] },
      INVALID_CLIENT,
    ],
  ]
}
