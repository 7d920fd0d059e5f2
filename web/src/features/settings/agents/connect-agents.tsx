import { Link } from '@tanstack/react-router'
import { useBoot } from '../../../data/session/boot.ts'
import { agentMessages } from '../../../messages/settings/agents.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { CopyButton } from '../../../ui/form/copy-button.tsx'
import { LabeledLine } from '../../../ui/form/form-field.tsx'
import { SectionHeader } from '../settings-header.tsx'

/** How each agent is told the address, as docs/guides/mcp.md has it. */
function getSnippets(url: string): { agent: string; text: string; hint?: string }[] {
  return [
    { agent: 'Claude Code', text: `claude mcp add --transport http docket ${url}` },
    {
      agent: 'Cursor',
      text: JSON.stringify({ mcpServers: { docket: { url } } }, null, 2),
      hint: agentMessages.inFile,
    },
    {
      agent: 'VS Code',
      text: `code --add-mcp '${JSON.stringify({ name: 'docket', type: 'http', url })}'`,
    },
    { agent: 'Codex', text: `codex mcp add docket --url ${url}\ncodex mcp login docket` },
  ]
}

/** The address for agents, and what to copy for those that many people use. */
export function ConnectAgents() {
  const url = `${location.origin}/mcp`
  return (
    <section aria-label={agentMessages.connect}>
      <SectionHeader title={agentMessages.connect} />
      <div className="sheet-form connect">
        <LabeledLine word={agentMessages.address}>
          <div className="acts">
            <code>{url}</code>
            <CopyButton text={url}>{agentMessages.copyAddress}</CopyButton>
          </div>
          <p className="hint">{agentMessages.opens}</p>
        </LabeledLine>
        {getSnippets(url).map(({ agent, text, hint }) => (
          <LabeledLine key={agent} word={agent}>
            {hint && <p className="hint">{hint}</p>}
            <Snippet text={text} agent={agent} />
          </LabeledLine>
        ))}
        <LabeledLine word={agentMessages.others}>
          <p className="hint">
            {agentMessages.bridge}{' '}
            <a href="/docs/guides/command-line">{agentMessages.commandLine}</a>
          </p>
          <Snippet
            text={`DOCKET_URL=${location.origin} DOCKET_KEY=dkt_… docket mcp`}
            agent={agentMessages.others}
          />
        </LabeledLine>
      </div>
    </section>
  )
}

const Snippet = ({ text, agent }: { text: string; agent: string }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
    <pre className="code" tabIndex={0}>
      {text}
    </pre>
    <CopyButton text={text} aria-label={agentMessages.copyFor(agent)} />
  </>
)

/** What agents may do, and where one gets a key that only reads. */
export function AgentLimits() {
  const { session } = useBoot('session')
  return (
    <section aria-label={agentMessages.limits}>
      <SectionHeader title={agentMessages.limits} />
      <div className="line set-note">
        <span className="gut" />
        <div className="control">
          {agentMessages.mays.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          <p>
            {agentMessages.readOnly}{' '}
            <Link
              to="/w/$workspaceId/settings/$section"
              params={{ workspaceId: session.workspace.id, section: 'api' }}
              search={{}}
            >
              {settingsMessages.sections.api}
            </Link>
          </p>
        </div>
      </div>
    </section>
  )
}
