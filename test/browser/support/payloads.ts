/** What a text that means harm would do: the control shows that each of these does it, where it is let. */
export const MARK = '__harmed'

const RUNS = [`${MARK}=1`, `window['${MARK}']=1`, `top.${MARK}=1`]
const IMAGES = ['//evil.example/x.png', 'https://evil.example/x.svg', 'data:image/svg+xml,<svg/>']

/** Elements that run something, or fetch it, as soon as they stand in a page. */
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

/** Addresses that are none to follow, in the ways in which a link can be written. */
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

const linked = (url: string): string[] => [
  `[x](${url})`,
  `[x](<${url}>)`,
  `[x]: ${url}\n\n[x]`,
  `<${url}>`,
  `![x](${url})`,
  `[![x](${url})](${url})`,
  `[x](https://ok.example "${url}\\" onmouseover=\\"x")`,
]

const odd = (js: string): string[] => [
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

/** Over three hundred of them. */
export const PAYLOADS: readonly string[] = [
  ...RUNS.flatMap((js) => [...elements(js), ...odd(js)]),
  ...addresses(RUNS[0] ?? '').flatMap(linked),
  ...addresses(RUNS[1] ?? '')
    .slice(0, 12)
    .flatMap(linked),
].filter((payload, at, all) => all.indexOf(payload) === at)

/** The same as one line of a text that may have so many letters, none of them twice, without control characters. */
export const lines = (most: number): string[] => [
  ...new Set(
    PAYLOADS.map((payload) =>
      payload
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .slice(0, most)
        .trim(),
    ),
  ),
]
