// A chat next to the editor. The first message starts it with the configuration on the screen, saved or not.
import type { Agent, AgentConfig } from '@millrace/contract/agents'
import { Link } from '@tanstack/react-router'
import { MessageSquarePlus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useMayAct } from '../chats/chat-page.tsx'
import { ChatView } from '../chats/chat-view.tsx'
import { Composer, type OutgoingMessage } from '../chats/composer.tsx'
import { useChat } from '../chats/use-chat.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { notifyProblem } from '../ui/notify.ts'
import { hasStoredKey } from './config.ts'
import { strings } from './strings.ts'

const StartedChat = ({ chatId }: { chatId: string }) => {
  const live = useChat(chatId)
  const { mayAct } = useMayAct(live.chat)
  return <ChatView live={live} mayAct={mayAct} />
}

type NewChatProps = { agent: Agent; unsaved: AgentConfig | undefined; onStart: (chatId: string) => void }

const NewChat = ({ agent, unsaved, onStart }: NewChatProps) => {
  const draft = unsaved && !hasStoredKey(unsaved) ? unsaved : undefined
  const { context: variables = [], example_prompts: examples = [] } = draft ?? agent.version ?? {}
  const [values, setValues] = useState<Record<string, string>>({})
  const start = async ({ text, attachments }: OutgoingMessage) => {
    const { user_message } = await call('agents.run', {
      body: {
        ...(draft ? { agent_config: { name: agent.name, ...draft } } : { agent_id: agent.id }),
        input: { text, ...(attachments.length > 0 ? { attachments } : {}) },
        ...(Object.keys(values).length > 0 ? { context: values } : {}),
      },
    })
    onStart(user_message.chat_id)
  }
  return (
    <div className="flex min-h-0 grow flex-col justify-end gap-3 overflow-y-auto px-4 pb-4">
      {variables.map(({ name, description, required, default: defaultValue }) => (
        <TextField
          key={name}
          label={name}
          help={description}
          required={required ?? false}
          placeholder={defaultValue ?? ''}
          value={values[name] ?? ''}
          onChange={(event) => setValues({ ...values, [name]: event.target.value })}
        />
      ))}
      <ul className="flex flex-wrap gap-2">
        {examples.map((example) => (
          <li key={example}>
            <Button
              className="h-auto whitespace-normal py-1 text-left"
              onClick={() => void start({ text: example, attachments: [] }).catch(notifyProblem)}
            >
              {example}
            </Button>
          </li>
        ))}
      </ul>
      {unsaved ? <p className="text-[12px] text-faint">{draft ? strings.test.unsaved : strings.test.saved}</p> : null}
      <Composer onSend={start} placeholder={strings.test.messageTo(agent.title || agent.name)} />
    </div>
  )
}

type TestChatProps = { agent: Agent; unsaved: AgentConfig | undefined }

/** The configuration that a chat starts with, as text to compare. */
const configText = ({ agent, unsaved }: TestChatProps): string => (unsaved ? JSON.stringify(unsaved) : agent.version_id)

export const TestChat = ({ agent, unsaved }: TestChatProps) => {
  const [chat, setChat] = useState<{ id: string; config: string } | null>(null)
  const current = configText({ agent, unsaved })
  return (
    <section
      aria-label={strings.test.title}
      className="flex min-h-96 min-w-0 flex-col bg-surface lg:min-h-0 lg:border-l"
    >
      <div className="flex h-11 shrink-0 items-center gap-2 border-b px-4">
        <h2 className="grow font-medium">{strings.test.title}</h2>
        {chat === null ? null : (
          <>
            <Link to="/chats/$id" params={{ id: chat.id }} className="text-accent hover:underline">
              {strings.test.open}
            </Link>
            <Button look="quiet" label={strings.test.newChat} onClick={() => setChat(null)}>
              <MessageSquarePlus aria-hidden />
            </Button>
          </>
        )}
      </div>
      {chat !== null && chat.config !== current ? (
        <p role="status" className="bg-warn-soft px-4 py-1.5 text-[12px] text-warn">
          {strings.test.earlier}
        </p>
      ) : null}
      {chat === null ? (
        <NewChat agent={agent} unsaved={unsaved} onStart={(id) => setChat({ id, config: current })} />
      ) : (
        <StartedChat key={chat.id} chatId={chat.id} />
      )}
    </section>
  )
}
