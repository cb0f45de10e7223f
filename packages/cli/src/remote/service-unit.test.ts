// Guarantees: the service manager reads every argument and environment value unchanged.
import { expect, it } from 'vitest'
import { serviceFor } from './service-unit.ts'

const parts = {
  command: ['/bin/millrace', 'remote', 'start', '--allow', 'echo "100%" $HOME \\ <&>'],
  env: { PATH: '/bin', ODD: 'a$b %c "d" <&>' },
  home: '/home/ada',
}

it('systemd: quotes, backslashes and percent signs everywhere, dollar signs in commands only', () => {
  const unit = serviceFor({ ...parts, platform: 'linux' })
  expect(unit?.path).toBe('/home/ada/.config/systemd/user/millrace-remote.service')
  expect(unit?.content).toContain(
    'ExecStart="/bin/millrace" "remote" "start" "--allow" "echo \\"100%%\\" $$HOME \\\\ <&>"\n',
  )
  expect(unit?.content).toContain('Environment="ODD=a$b %%c \\"d\\" <&>"\n')
  expect(unit?.content).not.toContain('MILLRACE_API_KEY')
})

it('launchd: XML escapes', () => {
  const agent = serviceFor({ ...parts, platform: 'darwin' })
  expect(agent?.content).toContain('<string>echo "100%" $HOME \\ &lt;&amp;&gt;</string>')
  expect(agent?.content).toContain('<key>ODD</key><string>a$b %c "d" &lt;&amp;&gt;</string>')
})

it('other systems have no service', () => {
  expect(serviceFor({ ...parts, platform: 'win32' })).toBeNull()
})
