/** The global variable that every payload sets if its script runs. */
export const XSS_MARKER = '__harmed'

const SCRIPTS = [`${XSS_MARKER}=1`, `window['${XSS_MARKER}']=1`, `top.${XSS_MARKER}=1`]
const IMAGES = ['//evil.example/x.png', 'https://evil.example/x.svg', 'data:image/svg+xml,<svg/>']

/** Elements that run a script or load a resource as soon as they are in a page. */
const elements = (js: string): string[] => [
  `<script>${js}</script>`,
  `<img src=x onerror="${js}">`,
  `<svg onload="${js}">`,
  `<svg><script>${js}</script></svg>`,
  `<body onload="${js}">`,
  `<iframe srcdoc="<script>parent.${js}</script>"></iframe>`,
  `<iframe src="javascript:parent.${js}"></iframe>`,
  `<details open ontoggle="${js}">x</details>`,
  `<input autofocus onfocus="${js}">`,
  `<video><source onerror="${js}"></video>`,
  `<audio src=x onerror="${js}">`,
  `<marquee onstart="${js}">x</marquee>`,
  `<object data="javascript:${js}"></object>`,
  `<embed src="javascript:${js}">`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror="${js}">`,
  `<noscript><p title="</noscript><img src=x onerror=${js}>">`,
  `<svg><animate onbegin="${js}" attributeName=x dur=1s></svg>`,
  `<style>@import '//evil.example/x.css';</style><img src=x onerror="${js}">`,
  `<link rel=stylesheet href="//evil.example/x.css">`,
  `<meta http-equiv=refresh content="0;url=javascript:${js}">`,
  `<base href="//evil.example/">`,
  `<form action="javascript:${js}"><button autofocus>x</button></form>`,
  `<a href="javascript:${js}">x</a>`,
  `"><img src=x onerror="${js}">`,
  `'-${js}-'`,
  `\${${js}}`,
  `{{constructor.constructor('${js}')()}}`,
  `<img src="x\` \`><script>${js}</script>"\` \`>`,
  `<scr\u00adipt>${js}</scr\u00adipt>`,
  `<!--><img src=x onerror="${js}">-->`,
  `<![CDATA[><img src=x onerror="${js}">]]>`,
  `\u202e<img src=x onerror="${js}">`,
]

/** Unsafe addresses, in the encodings that browsers accept in links. */
const addresses = (js: string): string[] => [
  `javascript:${js}`,
  `JaVaScRiPt:${js}`,
  `java\tscript:${js}`,
  `java&#10;script:${js}`,
  `&#x6A;avascript:${js}`,
  `javascript&colon;${js}`,
  `\u200bjavascript:${js}`,
  `%6aavascript:${js}`,
  `vbscript:${js}`,
  `data:text/html,<script>${js}</script>`,
  `data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==`,
  `blob:https://evil.example/x`,
  `file:///etc/passwd`,
  `//evil.example/${js}`,
  `\\\\evil.example\\${js}`,
  `https:evil.example`,
]

const linksTo = (url: string): string[] => [
  `[x](${url})`,
  `[x](<${url}>)`,
  `[x]: ${url}\n\n[x]`,
  `<${url}>`,
  `![x](${url})`,
  `[![x](${url})](${url})`,
  `[x](https://ok.example "${url}\\" onmouseover=\\"x")`,
]

const mixed = (js: string): string[] => [
  ...IMAGES.map((src) => `![a](${src})`),
  ...IMAGES.map((src) => `<picture><source srcset="${src}"><img src="${src}"></picture>`),
  `- [ ] <img src=x onerror="${js}">`,
  `| <img src=x onerror="${js}"> |\n|---|\n| [x](javascript:${js}) |`,
  `\`\`\`html"><img src=x onerror="${js}">\nx\n\`\`\``,
  `[^1]\n\n[^1]: <img src=x onerror="${js}">`,
  `<@usr_01k2m3n4p5q6r7s8t9v0w1x2y1"><img src=x onerror="${js}">`,
  `ENG-1"><img src=x onerror="${js}">`,
  `${'['.repeat(500)}x${']'.repeat(500)}(javascript:${js})`,
  `${'> '.repeat(100)}<img src=x onerror="${js}">`,
  `${'*'.repeat(2_000)}x`,
  `https://ok.example/"onmouseover="${js}`,
  `www.ok.example/<script>${js}</script>`,
]

/** More than 300 payloads. */
export const XSS_PAYLOADS: readonly string[] = [
  ...SCRIPTS.flatMap((js) => [...elements(js), ...mixed(js)]),
  ...addresses(SCRIPTS[0] ?? '').flatMap(linksTo),
  ...addresses(SCRIPTS[1] ?? '')
    .slice(0, 12)
    .flatMap(linksTo),
].filter((payload, at, all) => all.indexOf(payload) === at)

/** The payloads as unique single lines of limited length, without control characters. */
export const singleLinePayloads = (maxLength: number): string[] => [
  ...new Set(
    XSS_PAYLOADS.map((payload) =>
      payload
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .slice(0, maxLength)
        .trim(),
    ),
  ),
]
