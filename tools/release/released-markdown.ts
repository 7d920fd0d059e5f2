import { posix } from 'node:path'

/** How a release is started and operated. */
export interface ReleasedCommands {
  docket: string
  server: string
}

/**
 * A document as a release has it. Its commands are those of the release, which has neither npm nor
 * sources: what is between `<!-- clone -->` and `<!-- /clone -->` is left out. A link to a file that is
 * not in the release is just its text.
 */
export function formatReleasedMarkdown(
  text: string,
  path: string,
  isReleased: (path: string) => boolean,
  commands: ReleasedCommands,
): string {
  const withCommands = text
    .replaceAll(/<!-- clone -->[\s\S]*?<!-- \/clone -->\n*/g, '')
    .replaceAll(/npm run (?:--silent )?docket --/g, commands.docket)
    .replaceAll('npx node examples/', 'runtime/node examples/')
    .replaceAll(/^```sh\n[\s\S]*?^```$/gm, (block) =>
      block.replaceAll(/\bnpm start(?: --)?/g, commands.server),
    )
  return withCommands.replaceAll(
    /!?\[([^\]]*)\]\(([^)\s]+)\)/g,
    (link: string, label: string, target: string) => {
      if (/^(?:[a-z]+:|#|\/)/.test(target)) return link
      const file = posix.join(posix.dirname(path), target.replace(/#.*$/, ''))
      return isReleased(file) ? link : label
    },
  )
}
