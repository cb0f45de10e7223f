// A chat beside the editor. The first message starts it with the version that is current at that time.
import type { Agent } from '@millrace/contract/agents'
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
import { strings } from './strings.ts'

const StartedChat = ({ chatId }: { chatId: string }) => {
  const live = useChat(chatId)
  const { mayAct } = useMayAct(live.chat)
  return <ChatView live={live} mayAct={mayAct} />
}

const NewChat = ({ agent, onStart }: { agent: Agent; onStart: (chatId: string) => void }) => {
  const variables = agent.version?.context ?? []
  const [values, setValues] = useState<Record<string, string>>({})
  const start = async ({ text, attachments }: OutgoingMessage) => {
    const { user_message } = await call('agents.run', {
      body: {
        agent_id: agent.id,
        input: { text, ...(attachments.length > 0 ? { attachments } : {}) },
        ...(Object.keys(values).length > 0 ? { context: values } : {}),
      },
    })
    onStart(user_message.chat_id)
  }
  const examples = agent.version?.example_prompts ?? []
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
      <Composer onSend={start} placeholder={strings.test.messageTo(agent.title || agent.name)} />
    </div>
  )
}

export const TestChat = ({ agent }: { agent: Agent }) => {
  const [chatId, setChatId] = useState<string | null>(null)
  return (
    <section
      aria-label={strings.test.title}
      className="flex min-h-96 min-w-0 flex-col bg-surface lg:min-h-0 lg:border-l"
    >
      <div className="flex h-11 shrink-0 items-center gap-2 border-b px-4">
        <h2 className="grow font-medium">{strings.test.title}</h2>
        {chatId === null ? null : (
          <>
            <Link to="/chats/$id" params={{ id: chatId }} className="text-accent hover:underline">
              {strings.test.open}
            </Link>
            <Button look="quiet" label={strings.test.newChat} onClick={() => setChatId(null)}>
              <MessageSquarePlus aria-hidden />
            </Button>
          </>
        )}
      </div>
      {chatId === null ? <NewChat agent={agent} onStart={setChatId} /> : <StartedChat key={chatId} chatId={chatId} />}
    </section>
  )
}
