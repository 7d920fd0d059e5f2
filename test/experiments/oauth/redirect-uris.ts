/** The registered redirect URIs of an application of each type. */
export const REGISTERED_REDIRECT_URIS = {
  public: [
    'https://app.example/cb',
    'http://127.0.0.1:8000/cb',
    'http://[::1]:8000/cb',
    'http://localhost:8000/cb',
    'com.example.app:/cb',
  ],
  confidential: ['https://app.example/cb', 'http://127.0.0.1:8000/cb', 'https://app.example/a?b=c'],
} as const

/** A public application may use any port of a registered address of this computer. */
export const LOOPBACK_URIS_ON_OTHER_PORTS = [
  'http://127.0.0.1/cb',
  'http://127.0.0.1:1/cb',
  'http://[::1]:65535/cb',
  'http://localhost/cb',
  'http://localhost:8001/cb',
]

/** URIs that some parser takes for a registered one; browsers must never be sent there. */
export const MISLEADING_REDIRECT_URIS: readonly string[] = [
  // Longer, shorter and similar paths.
  ...['https://app.example/cb/', 'https://app.example/cb/x', 'https://app.example/cbx'],
  ...[
    'https://app.example/c',
    'https://app.example/',
    'https://app.example',
    'https://app.example/CB',
  ],
  ...['https://app.example//cb', 'https://app.example/./cb', 'https://app.example/x/../cb'],
  ...['https://app.example/cb/.', 'https://app.example/cb/../cb', 'https://app.example/cb;x'],
  ...['https://app.example/cb/..;/x', 'https://app.example/%63b', 'https://app.example/%2e%2e/cb'],
  ...['https://app.example/cb%00', 'https://app.example/cb%2f', 'https://app.example/cb%0d%0aX:y'],
  // Query and fragment.
  ...[
    'https://app.example/cb?',
    'https://app.example/cb?x=y',
    'https://app.example/cb?code=stolen',
  ],
  ...['https://app.example/cb#', 'https://app.example/cb#x', 'https://app.example/a?b=d'],
  ...['https://app.example/a?b=c&b=d', 'https://app.example/a?', 'https://app.example/a'],
  // Scheme, host and port.
  ...['HTTPS://app.example/cb', 'https://APP.example/cb', 'http://app.example/cb'],
  ...[
    'https:app.example/cb',
    'https:/app.example/cb',
    'https:///app.example/cb',
    '//app.example/cb',
  ],
  ...[
    '/cb',
    'https://app.example:443/cb',
    'https://app.example:8443/cb',
    'https://app.example:/cb',
  ],
  ...['https://app.example./cb', 'https://www.app.example/cb', 'https://evil.example/cb'],
  ...['https://app.example.evil.example/cb', 'https://evilapp.example/cb', 'https://app/cb'],
  ...['https://app.example%2eevil.example/cb', 'https://app\u3002example/cb'],
  ...[
    'https://\u0430pp.example/cb',
    'https://xn--pp-7kc.example/cb',
    'https://app.ex\u00adample/cb',
  ],
  // User info, and what only some parsers take for it.
  ...['https://app.example@evil.example/cb', 'https://evil.example@app.example/cb'],
  ...[
    'https://app.example:x@evil.example/cb',
    'https://@app.example/cb',
    'https://:@app.example/cb',
  ],
  ...['https://app.example\\@evil.example/cb', 'https://evil.example\\@app.example/cb'],
  ...['https://evil.example#@app.example/cb', 'https://evil.example?@app.example/cb'],
  ...['https://evil.example/https://app.example/cb', 'https://app.example/cb@evil.example'],
  // Characters that some programs drop.
  ...['https:\\\\app.example\\cb', 'https://app.example\\cb', ' https://app.example/cb'],
  ...['https://app.example/cb ', 'https://app.example/cb\t', 'https://app.exa\tmple/cb'],
  ...['https://app.example/cb\n', 'https://app.example/\rcb', '\u0000https://app.example/cb'],
  ...[
    'https://app.example/cb\u0000',
    'https://app.example/cb\u200b',
    '\ufeffhttps://app.example/cb',
  ],
  // Other spellings of loopback addresses.
  ...['http://127.1:8000/cb', 'http://2130706433:8000/cb', 'http://0x7f.0.0.1:8000/cb'],
  ...['http://0177.0.0.1:8000/cb', 'http://127.0.0.2:8000/cb', 'http://0.0.0.0:8000/cb'],
  ...['http://127.0.0.1.:8000/cb', 'http://127.0.0.1:08000x/cb', 'http://127.0.0.1:65536/cb'],
  ...['http://127.0.0.1:/cb', 'http://127.0.0.1:-1/cb', 'http://127.0.0.1:8000/cb/'],
  ...['http://127.0.0.1:8001/CB', 'http://127.0.0.1:8001/cb?x', 'https://127.0.0.1:8000/cb'],
  ...['http://127.0.0.1:8000@evil.example/cb', 'http://127.0.0.1:8001\\@evil.example/cb'],
  ...['http://evil.example:8000/cb', 'http://127.0.0.1.evil.example:8000/cb'],
  ...['http://localhost:8001/CB', 'http://localhost:/cb', 'http://localhost.:8000/cb'],
  ...['http://LOCALHOST:8000/cb', 'http://localhost.evil.example:8000/cb'],
  ...[
    'http://[::]:8000/cb',
    'http://[0:0:0:0:0:0:0:1]:8000/cb',
    'http://[::ffff:127.0.0.1]:8000/cb',
  ],
  ...[
    'http://[::1%25lo]:8000/cb',
    'http://::1:8000/cb',
    'http://[::1]:8001/',
    'https://[::1]:8000/cb',
  ],
  // Other schemes.
  ...['com.example.app:/cb/x', 'com.example.app://cb', 'COM.example.app:/cb', 'com.example.app:cb'],
  ...['com.example.app2:/cb', 'javascript:alert(1)', 'javascript://app.example/cb%0aalert(1)'],
  ...['data:text/html,<script>alert(1)</script>', 'vbscript:x', 'file:///cb', 'about:blank'],
  ...[
    'blob:https://app.example/cb',
    'view-source:https://app.example/cb',
    'urn:ietf:wg:oauth:2.0:oob',
  ],
  // Placeholders that oidc-provider is configured with, and wildcards.
  ...['https://registered.invalid', 'https://registered.invalid/', 'https://app.example/*', '*'],
]
