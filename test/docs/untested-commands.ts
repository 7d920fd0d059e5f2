/** Commands in documents that no test runs as written, with the reason. */
export const UNTESTED_COMMANDS: readonly (readonly [command: RegExp, reason: string])[] = [
  [
    /^(npm run bench|npx node bench\/)/,
    'it measures for minutes, and proves nothing beside others',
  ],
  [/^npm run fuzz /, 'it takes hours at this length; test/experiments runs it for a short time'],
  [/^npx node test\/experiments\//, 'at full length; test/experiments runs each for a short time'],
  [/^npx node test\/browser\/screenshots/, 'it makes pictures for somebody to look at'],
  [/^npm run prestart$/, 'it installs; npm test has begun with it'],
  [/^npm install /, 'it installs from the registry what the tests have from the lockfile'],
  [/^(docker|kubectl) /, 'it needs a daemon or a cluster; test/deploy runs what the image holds'],
  [/^(systemctl|systemd-run) /, 'it changes the machine'],
  [/^(git clone|cp deploy\/|install -m 0600) /, 'it changes the machine'],
  [/native\.ts$/, 'it waits for a browser; test/examples/oauth-client.test.ts has one'],
]
