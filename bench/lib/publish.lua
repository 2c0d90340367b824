-- POST /v1/events as fast as they are answered: wrk … -s publish.lua <url> -- <key> <audience as a JSON list> …
local head, audiences, run
local n = 0

function init(args)
  head = 'POST /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ' .. args[1]
    .. '\r\nContent-Type: application/json\r\nContent-Length: '
  audiences = {}
  for i = 2, #args do audiences[#audiences + 1] = args[i] end
  run = tostring(os.time())
end

function request()
  n = n + 1
  local body = '{"event":"checkout.started","data":{"tradeSessionId":"bench-' .. run .. '-' .. n
    .. '","side":"INITIATOR","originalPrice":149.9,"tradeAmount":29.9,"currency":"EUR"},"accountIds":'
    .. audiences[n % #audiences + 1] .. '}'
  return head .. #body .. '\r\n\r\n' .. body
end
