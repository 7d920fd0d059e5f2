import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRegisteredRedirectUri, validateRedirectUri } from './redirect-uri.ts'

const BOTH = ['confidential', 'public'] as const

const VALID_FOR_ALL = [
  'https://app.example/cb',
  'https://app.example',
  'https://app.example:8443/cb?a=b&c=%2F',
  'HTTPS://App.Example/Cb',
  'https://xn--bcher-kva.example/cb',
  'https://app.example/a/../cb',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:8000/cb',
  'http://[::1]:8000/cb',
  'http://localhost:8000/cb',
]

const VALID_FOR_PUBLIC = [
  'com.example.app:/cb',
  'com.example.app://cb',
  'com.example.my-app:/cb?x=1',
]

const INVALID = [
  '',
  ' ',
  '/cb',
  '//app.example/cb',
  'app.example/cb',
  'https:',
  'https://',
  'https:///cb',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https://app.example/cb#',
  'http:127.0.0.1',
  'https://app.example/cb#token',
  'com.example.app:/cb#x',
  'https://*.example/cb',
  'https://app.example/*',
  'https://user@app.example/cb',
  'https://:@app.example/cb',
  'https://u:p@app.example/cb',
  'https://@app.example/cb',
  'https://a\\@b.example/cb',
  'https://app.example\\cb',
  'https://app.example/c b',
  'https://app.example/\tcb',
  'https://app.example/\r\ncb',
  '\u0000https://app.example/cb',
  'https://app.example/cb\u0000',
  ' https://app.example/cb',
  'https://app.example/cb ',
  'https://b\u00fccher.example/cb',
  'https://app\u3002example/cb',
  'https://app.example/<cb>',
  'https://app.example/"cb',
  'https://app.example:99999/cb',
  'https://[::1/cb',
  'http://app.example/cb',
  'http://0.0.0.0/',
  'http://127.0.0.2/cb',
  'http://10.0.0.1/cb',
  'http://localhost.evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://evil.example#127.0.0.1',
  'http://[::2]/cb',
  'http://[::ffff:127.0.0.1]/cb',
  'http://user@127.0.0.1/cb',
  'http://localhost./cb',
  'http://127.1/cb',
  'http://0x7f000001/cb',
  'http://2130706433/cb',
  'http://[0::1]/cb',
  'http:///127.0.0.1/cb',
  'ftp://app.example/cb',
  'ws://app.example/cb',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'JavaScript:alert(1)//a.b',
  'java\tscript:alert(1)',
  'vbscript:x',
  'data:text/html,x',
  'blob:https://app.example/x',
  'about:blank',
  'view-source:https://a.b',
  'mailto:a@b.example',
  'urn:ietf:wg:oauth:2.0:oob',
  'myapp:/cb',
  'myapp://cb',
  '.app:/cb',
  'com..app:/cb',
  'com.example.app',
  'com.example.app:/c b',
  '1.example:/cb',
  'x-.:/cb',
]

test('validates redirect URIs by client type', () => {
  for (const type of BOTH) {
    for (const uri of VALID_FOR_ALL) assert.equal(validateRedirectUri(uri, type), undefined, uri)
    for (const uri of INVALID) assert.ok(validateRedirectUri(uri, type), `${type} ${uri}`)
  }
  for (const uri of VALID_FOR_PUBLIC) {
    assert.equal(validateRedirectUri(uri, 'public'), undefined, uri)
    assert.ok(validateRedirectUri(uri, 'confidential'), uri)
  }
})

test('matches registered redirect URIs character by character', () => {
  for (const type of BOTH) {
    for (const uri of [...VALID_FOR_ALL, ...VALID_FOR_PUBLIC]) {
      assert.ok(isRegisteredRedirectUri(uri, ['https://b.example/', uri], type), uri)
      for (const other of [
        `${uri}/`,
        `${uri}x`,
        uri.slice(0, -1),
        ` ${uri}`,
        `${uri}?`,
        `${uri}#`,
      ]) {
        assert.equal(isRegisteredRedirectUri(other, [uri], type), false, `${other} for ${uri}`)
      }
    }
  }
  assert.equal(isRegisteredRedirectUri('https://a.example/', [], 'public'), false)
})

test('ignores the port only for public clients on this computer', () => {
  const withOtherPort = (uri: string) =>
    uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(:\d+)?/, '$1:49152')
  for (const uri of [
    'http://127.0.0.1/cb',
    'http://127.0.0.1:8000/cb?a=b',
    'http://[::1]:1/',
    'http://localhost:2/cb',
    'http://localhost/',
  ]) {
    assert.ok(isRegisteredRedirectUri(withOtherPort(uri), [uri], 'public'), uri)
    assert.equal(isRegisteredRedirectUri(withOtherPort(uri), [uri], 'confidential'), false, uri)
    assert.equal(isRegisteredRedirectUri(`${withOtherPort(uri)}x`, [uri], 'public'), false, uri)
  }
  for (const [requested, registered] of [
    ['http://localhost.:1/cb', 'http://localhost:2/cb'],
    ['http://[::1]:1/cb', 'http://127.0.0.1:1/cb'],
    ['http://localhost:1/cb', 'http://127.0.0.1:1/cb'],
    ['https://127.0.0.1:1/cb', 'https://127.0.0.1:2/cb'],
    ['http://127.0.0.1:65536/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:80@evil.example/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:1\\@evil.example/cb', 'http://127.0.0.1/cb'],
    ['com.example.app:1/cb', 'com.example.app:2/cb'],
  ] as const) {
    assert.equal(isRegisteredRedirectUri(requested, [registered], 'public'), false, requested)
  }
})
