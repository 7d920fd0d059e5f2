/** Commands in documents that no test runs as written, with the reason. */
export const UNTESTED_COMMANDS: readonly (readonly [command: RegExp, reason: string])[] = [
  [
    /^(npm run bench|npx node bench\/)/,
    'it measures for minutes, and proves nothing beside others',
  ],
  [/^npm run fuzz /, 'it takes hours at this length; test/experiments runs it for a short time'],
  [/^npx node test\/experiments\//, 'at full length; test/experiments runs each for a short time'],
  [/^npx node test\/browser\/screenshots/, 'it makes pictures for somebody to look at'],
  [/^npx node tools\/places\//, 'it installs everything in several clones, for minutes each'],
  [/^npm run release$/, 'it compresses for ten seconds; test/deploy makes and runs a release'],
  [
    /^(RELEASE_KEY_FILE=|openssl |sha256sum|tar -xzf|\(cd \/opt|DOCKET_DATA_DIR=~\/docket-data|docket (--version|health)) ?/,
    'it needs a release; test/deploy makes, verifies, unpacks and runs one',
  ],
  [/^env UV_THREADPOOL_SIZE=/, 'it is npm start without npm; a test compares their flags'],
  [/^npm install /, 'it installs from the registry what the tests have from the lockfile'],
  [/^(docker|kubectl) /, 'it needs a daemon or a cluster; test/deploy runs what the image holds'],
  [/^(systemctl|systemd-run|fail2ban-regex|fail2ban-client) /, 'it changes the machine'],
  [
    /^(cp (deploy\/|\/opt|-p)|install -m 0600|ln -s|cd \/var|mkdir newer|mv docket|sudo deploy\/|echo 'POSTGRES_IMAGE)/,
    'it changes the machine',
  ],
  [/native\.ts$/, 'it waits for a browser; test/examples/oauth-client.test.ts has one'],
]
